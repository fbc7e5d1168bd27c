import { AgentError, type AgentHandler, type StreamMessage } from '@x/core';
import { addUsage, noUsage } from '@x/core/internal';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { agentOf } from '../test/chat-agent.ts';
import { calls, toolNamed } from '../test/run-options.ts';
import { cast, agent as definition, innermost, tasks } from '../test/subagents.ts';
import { memoryJournal } from './index.ts';

describe('stream', () => {
  const script = [{ thinking: 'Hm.', text: 'Let me see.', ...calls('echo') }, { text: 'Done.' }];

  it('shows what a session shows, the result last', async () => {
    const { events } = await collect(agentOf(script).agent.stream('Begin.'));

    expect(events.map(({ type }) => type).join(' ')).toBe(
      'turn_start user_message content usage tool_use tool_result turn_end turn_start content usage turn_end result',
    );
    expect(events.at(-1)).toMatchObject({ subtype: 'success', content: 'Done.', usage: { totalTokens: 30 } });
    const shown = await collect(agentOf(script).agent.stream('Begin.', { includeThinking: true }));
    expect(shown.events).toContainEqual({ type: 'thinking', delta: 'Hm.' });
  });

  it('ends with an error event and a result when the run fails, and does not throw', async () => {
    const failing = [{ error: new AgentError('overloaded', { code: 'MODEL_ERROR' }) }];

    const { events } = await collect(agentOf(failing).agent.stream('Begin.'));

    expect(events.slice(-2)).toMatchObject([
      { type: 'error', code: 'MODEL_ERROR', message: 'overloaded' },
      { type: 'result', subtype: 'error', error: 'overloaded' },
    ]);
  });

  it('shows observers everything, the result too; one that fails there makes it an error', async () => {
    const seen: string[] = [];
    const watch: AgentHandler = { name: 'watch', onEvent: ({ type }) => void seen.push(type) };
    await collect(agentOf(script, { handlers: [watch] }).agent.stream('Begin.'));
    const fails: AgentHandler = {
      name: 'fails',
      onEvent: ({ type }) => {
        if (type === 'result') throw new Error('cannot see it');
      },
    };

    const { events } = await collect(agentOf(script, { handlers: [fails] }).agent.stream('Begin.'));

    expect(seen.slice(-2)).toEqual(['turn_end', 'result']);
    expect(seen).toContain('tool_started');
    expect(events.at(-1)).toMatchObject({ subtype: 'error', error: 'cannot see it' });
    await expect(agentOf(script, { handlers: [fails] }).agent.run('Begin.')).rejects.toThrow('cannot see it');
  });

  it('has usage events that, with those observers see of subagents, add up to the usage of the result', async () => {
    let inside = noUsage();
    const watch: AgentHandler = {
      name: 'watch',
      onEvent: (event, { depth }) => {
        const inner = innermost([event])[0]!;
        if (depth === 0 && event.type === 'subagent' && inner.type === 'usage') inside = addUsage(inside, inner.usage);
      },
    };
    const parts = cast({ main: [tasks('helper'), { text: 'Thanks.' }], helper: [calls('echo'), { text: 'Done.' }] });
    const { agent } = agentOf(parts, { agents: [definition('helper')], handlers: [watch] });

    const { events } = await collect(agent.stream('Begin.'));

    const outside = events.reduce((sum, one) => (one.type === 'usage' ? addUsage(sum, one.usage) : sum), noUsage());
    expect(events.at(-1)).toMatchObject({ usage: addUsage(inside, outside) });
    expect(inside.totalTokens).toBe(30);
  });

  it('aborts and answers every call when it is left early', async () => {
    const signals: AbortSignal[] = [];
    const work = toolNamed('work', (_, { signal }) => new Promise(() => void signals.push(signal)));
    const journal = memoryJournal();
    const { agent, model } = agentOf([calls('work'), { text: 'never' }], { tools: [work] });

    for await (const event of agent.stream('Begin.', { journal })) if (event.type === 'tool_use') break;

    expect(journal.records.at(-1)?.record).toMatchObject({ type: 'tool_finished', callId: 'work0' });
    expect(model.requests).toHaveLength(1);
    for (const signal of signals) expect(signal.aborted).toBe(true);
  });

  it('can be left while the next event is waited for', async () => {
    const started = Promise.withResolvers<void>();
    const work = toolNamed('work', () => {
      started.resolve();
      return new Promise(() => undefined);
    });
    const { agent } = agentOf([calls('work')], { tools: [work] });
    const stream = agent.stream('Begin.');
    const reading = (async () => {
      const events: StreamMessage[] = [];
      for await (const event of stream) events.push(event);
      return events;
    })();

    await started.promise;
    await stream.return();

    const types = (await reading).map(({ type }) => type);
    expect(types).toContain('tool_use');
    expect(types).not.toContain('result');
  });
});
