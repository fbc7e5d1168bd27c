import { type ModelOptions, userMessage } from '@x/core';
import { collect, type Script, scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { calls, inboxOf, runOptions } from '../test/run-options.ts';
import { createChatModelAgent } from './chat-model-agent.ts';
import { memoryJournal } from './memory-journal.ts';
import { runAgent } from './run-agent.ts';

const asking = (text: string, modelOptions: ModelOptions) => ({ ...userMessage(text), modelOptions });
const taking = (script: Script) => scriptedModel(script, { checkOptions: () => undefined });
const agent = (script: Script, modelOptions?: ModelOptions) => {
  const model = taking(script);
  const options = { name: 'a', description: 'A.', model, ...(modelOptions ? { modelOptions } : {}) };
  return { agent: createChatModelAgent(options), asked: () => model.requests.map(({ options: own }) => own) };
};

describe('options of the model in a run', () => {
  it('are those of the agent, and over them those of its messages in their order', async () => {
    const { agent: made, asked } = agent([{ text: 'Done.' }], { seed: 1, topP: 1 });

    await made.run([asking('one', { seed: 2 }), asking('two', { temperature: 1 }), userMessage('three')]);

    expect(asked()).toEqual([{ seed: 2, topP: 1, temperature: 1 }]);
  });

  it('of an agent are checked when it is made', () => {
    const model = scriptedModel([]);
    const make = (modelOptions: object) => createChatModelAgent({ name: 'a', description: 'A.', model, modelOptions });

    expect(() => make({ seed: 1 })).toThrow('modelOptions.seed is not taken by scripted');
    expect(() => make({ seed: 'x' })).toThrow('modelOptions.seed must be a whole number');
    expect(make({}).name).toBe('a');
  });

  it('that say nothing are not asked for', async () => {
    const { agent: made, asked } = agent([{ text: 'Done.' }]);

    await made.run([asking('one', {})]);

    expect(asked()).toEqual([undefined]);
  });

  it('keep the choice of a tool until there is a reply, when an urgent message has cut the model off', async () => {
    const { inbox, urge } = inboxOf([]);
    const script: Script = (_, turn) => {
      if (turn === 1) setImmediate(() => urge('Wait.'));
      return turn === 1 ? { hangs: true } : turn === 2 ? calls('echo') : { text: 'Done.' };
    };
    const { options } = runOptions([], { input: [asking('one', { toolChoice: 'required' })], inbox });
    const model = taking(script);

    await collect(runAgent({ ...options, model }));

    const asked = model.requests.map(({ options: own }) => own);
    expect(asked).toEqual([{ toolChoice: 'required' }, { toolChoice: 'required' }, undefined]);
  });

  it('are kept by the journal of a run that goes on, message and note alike', async () => {
    const journal = memoryJournal();
    const first = runOptions([], { input: [asking('one', { seed: 1, toolChoice: 'required' })], journal });
    const down = taking([calls('echo'), { error: new TypeError('down') }]);
    await collect(runAgent({ ...first.options, model: down })).catch(() => undefined);

    const model = taking([{ text: 'Done.' }]);
    const second = runOptions([], { input: [], journal: memoryJournal({ records: journal.records }) });
    await collect(runAgent({ ...second.options, model }));

    expect(down.requests.map(({ options: own }) => own)).toEqual([{ seed: 1, toolChoice: 'required' }, { seed: 1 }]);
    expect(model.requests.map(({ options: own }) => own)).toEqual([{ seed: 1 }]);
  });

  it('of a message that was recorded without its note are read from the message', async () => {
    const message = asking('one', { seed: 1, toolChoice: 'required' });
    const journal = memoryJournal({ messages: [message, asking('two', { topP: 1 })] });
    const { options } = runOptions([], { input: [], journal });
    const model = taking([{ text: 'Done.' }]);

    await collect(runAgent({ ...options, model, run: { ...options.run, messageId: message.id } }));

    expect(model.requests[0]?.options).toEqual({ seed: 1, topP: 1, toolChoice: 'required' });
  });
});
