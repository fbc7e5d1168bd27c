import { getEventListeners } from 'node:events';
import { fc, test } from '@fast-check/vitest';
import { type AgentEvent, toolUsesOf } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { calls, linesOf, toolNamed } from '../test/run-options.ts';
import { agent, cast, tasks, withAgents } from '../test/subagents.ts';
import { type MemoryJournal, memoryJournal } from './memory-journal.ts';
import { runAgent } from './run-agent.ts';
import type { RunResult } from './run-options.ts';

const agents = [agent('outer'), agent('inner')];
const script = cast({
  main: [tasks('outer', 'inner'), { text: 'Thanks.' }],
  outer: [{ text: 'I ask.', ...tasks('inner') }, { text: 'Outer is done.' }],
  inner: [calls('echo', 'echo'), { text: 'Inner is done.' }],
});
const outcome = [
  'user: Begin.',
  'assistant: <Task> <Task>',
  'tool: Outer is done. Inner is done.',
  'assistant: Thanks.',
];

/** The calls that replies have asked for, and the answers that were recorded, by scope. */
function callsIn({ records }: MemoryJournal) {
  const keyed = (scope: readonly string[], id: string) => [...scope, id].join('/');
  const asked = records.flatMap(({ scope, record }) =>
    record.type === 'message' && record.message.role === 'assistant'
      ? toolUsesOf(record.message).map(({ id }) => keyed(scope, id))
      : [],
  );
  const answered = records.flatMap(({ scope, record }) =>
    record.type === 'tool_finished' ? [keyed(scope, record.callId)] : [],
  );
  return { asked: asked.toSorted(), answered: answered.toSorted() };
}

describe('a run with subagents that goes on after a crash', () => {
  test.prop([fc.nat(30)])(
    'comes to the same end behind any record, and repeats nothing that was finished',
    async (cut) => {
      const whole = withAgents(script, agents);
      await collect(runAgent(whole.options));
      const records = whole.journal.records.slice(0, cut);

      const journal = memoryJournal({ records });
      const input = records.length === 0 ? {} : { input: [] };
      const resumed = withAgents(script, agents, { journal, ...input });
      const { value } = await collect(runAgent(resumed.options));

      expect(linesOf(value.messages)).toEqual(outcome);
      const { asked, answered } = callsIn(journal);
      expect(answered).toEqual(asked);
      const replies = journal.records.filter(({ record }) => record.type === 'message');
      expect(replies).toHaveLength(whole.journal.records.filter(({ record }) => record.type === 'message').length);
    },
  );

  it('does not ask a subagent again that had ended before its answer was recorded', async () => {
    const parts = cast({ main: [tasks('helper'), { text: 'Thanks.' }], helper: [{ text: 'Done.' }] });
    const whole = withAgents(parts, [agent('helper')]);
    await collect(runAgent(whole.options));
    const answer = whole.journal.records.findIndex(({ record }) => record.type === 'tool_finished');

    const journal = memoryJournal({ records: whole.journal.records.slice(0, answer) });
    const resumed = withAgents(parts, [agent('helper')], { journal, input: [] });
    const { value } = await collect(runAgent(resumed.options));

    expect(resumed.model.requests).toHaveLength(1);
    expect(linesOf(value.messages).slice(2)).toEqual(['tool: Done.', 'assistant: Thanks.']);
  });

  it('never repeats a call of a subagent whose effect is not known', async () => {
    let executed = 0;
    const once = toolNamed('once', async () => void executed++, { effect: 'non_idempotent' });
    const parts = cast({ main: [tasks('helper'), { text: 'Thanks.' }], helper: [calls('once'), { text: 'Done.' }] });
    const whole = withAgents(parts, [agent('helper')], { tools: [once] });
    await collect(runAgent(whole.options));
    const started = whole.journal.records.findIndex(
      ({ scope, record }) => scope.length === 1 && record.type === 'tool_started',
    );

    const journal = memoryJournal({ records: whole.journal.records.slice(0, started + 1) });
    const resumed = withAgents(parts, [agent('helper')], { tools: [once], journal, input: [] });
    await collect(runAgent(resumed.options));

    expect(executed).toBe(1);
    expect(linesOf(resumed.model.requests[0]!.messages).at(-1)).toContain('effect is not known');
  });
});

/** Reads a run and aborts it after `after` events. */
async function abortedAfter(after: number) {
  const controller = new AbortController();
  const { options, journal } = withAgents(script, agents, { signal: controller.signal });
  const events: AgentEvent[] = [];
  const stream = runAgent(options);
  let value: RunResult | undefined;
  while (!value) {
    if (events.length === after) setImmediate(() => controller.abort());
    const step = await stream.next();
    if (step.done) value = step.value;
    else events.push(step.value);
  }
  return { value, journal, listeners: getEventListeners(controller.signal, 'abort').length };
}

describe('an abort with subagents under way', () => {
  test.prop([fc.nat(60)])('answers every call of every run before it ends', async (after) => {
    const { value, journal, listeners } = await abortedAfter(after);

    expect(['success', 'aborted']).toContain(value.subtype);
    const { asked, answered } = callsIn(journal);
    expect(answered).toEqual(asked);
    expect(listeners).toBe(0);
  });

  it('ends a subagent whose tool ignores its signal; the task is answered as interrupted', async () => {
    const controller = new AbortController();
    const deaf = toolNamed('deaf', () => {
      setImmediate(() => controller.abort());
      return new Promise(() => undefined);
    });
    const parts = cast({ main: [tasks('helper'), { text: 'Thanks.' }], helper: [calls('deaf'), { text: 'Done.' }] });
    const { options, journal } = withAgents(parts, [agent('helper')], { tools: [deaf], signal: controller.signal });

    const { value } = await collect(runAgent(options));

    expect(value.subtype).toBe('aborted');
    const finished = journal.records.flatMap(({ scope, record }) =>
      record.type === 'tool_finished' ? [[scope.length, record.callId, record.result.interrupted]] : [],
    );
    expect(finished).toEqual([
      [1, 'deaf0', 'unknown'],
      [0, 'task0', 'unknown'],
    ]);
  });
});
