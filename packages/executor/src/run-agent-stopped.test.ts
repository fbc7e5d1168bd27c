import { AbortError, type AgentHandler, textOf, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { recordsOf, runOptions } from '../test/run-options.ts';
import { runAgent } from './run-agent.ts';

describe('runAgent and a handler at the edge of the run', () => {
  it('yields what afterAgent emits, also when the run ends with it', async () => {
    const speaking: AgentHandler = {
      name: 'speaking',
      afterAgent: (_, run) => run.emit({ type: 'notification', kind: 'last_word', message: 'over' }),
    };
    const { options } = runOptions([{ text: 'done' }], { handlers: [speaking] });

    const { events, value } = await collect(runAgent(options));

    expect(events.at(-1)).toEqual({ type: 'notification', kind: 'last_word', message: 'over' });
    expect(value.subtype).toBe('success');
  });

  it('reports no success when the run is stopped during afterAgent', async () => {
    const abort = new AbortController();
    const stopping: AgentHandler = { name: 'stopping', afterAgent: () => abort.abort() };
    const { options } = runOptions([{ text: 'done' }], { handlers: [stopping], signal: abort.signal });

    expect((await collect(runAgent(options))).value.subtype).toBe('aborted');
  });

  it('neither records nor refuses a message whose judgement was cut off by the end of the run', async () => {
    const abort = new AbortController();
    const judging: AgentHandler = {
      name: 'judging',
      beforeUserMessage(message) {
        if (textOf(message) !== 'two') return;
        abort.abort();
        throw new AbortError();
      },
    };
    const input = ['one', 'two', 'three'].map(userMessage);
    const { options, journal } = runOptions([{ text: 'x' }], {
      handlers: [judging],
      signal: abort.signal,
      input,
    });

    const { value } = await collect(runAgent(options));

    expect(value.subtype).toBe('aborted');
    const recorded = recordsOf(journal, 'message').map(({ message }) => message.role === 'user' && textOf(message));
    expect(recorded).toEqual(['one']);
    expect(recordsOf(journal, 'note').filter(({ name }) => name === 'message_refused')).toEqual([]);
  });

  it('takes a refused message out of the inbox while the run goes on (control)', async () => {
    const refusing: AgentHandler = {
      name: 'refusing',
      beforeUserMessage() {
        throw new Error('no');
      },
    };
    const { options, journal } = runOptions([], { handlers: [refusing] });

    await expect(collect(runAgent(options))).rejects.toThrow('no');
    expect(recordsOf(journal, 'note').map(({ name }) => name)).toEqual(['message_refused']);
  });
});
