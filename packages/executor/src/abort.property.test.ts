import { getEventListeners } from 'node:events';
import { fc, test } from '@fast-check/vitest';
import type { AgentEvent } from '@x/core';
import { describe, expect, it } from 'vitest';
import { calls, echo, recordsOf, runOptions, toolNamed } from '../test/run-options.ts';
import { runAgent } from './run-agent.ts';
import type { RunResult } from './run-options.ts';

const deaf = () => toolNamed('deaf', () => new Promise(() => undefined));
const slow = () =>
  toolNamed('slow', () => new Promise((resolve) => setImmediate(() => resolve('slow'))), { parallelSafe: false });
const script = [
  { text: ['a', 'b'], ...calls('echo', 'slow', 'echo') },
  { text: 'c', ...calls('slow') },
  { text: 'Done.' },
];

/** Reads a run and aborts it after `after` events, from the reader's side or from outside. */
async function aborted(after: number, { how, hang }: { how: 'reader' | 'outside'; hang: boolean }) {
  const controller = new AbortController();
  const replies = hang ? [...script.slice(0, 1), { text: 'c', ...calls('echo', 'deaf') }] : script;
  const { options, journal } = runOptions(replies, { tools: [echo(), slow(), deaf()], signal: controller.signal });
  const events: AgentEvent[] = [];
  const stream = runAgent(options);
  let value: RunResult | undefined;
  while (!value) {
    if (events.length === after && how === 'reader') controller.abort();
    const pending = stream.next();
    if (events.length >= after && how === 'outside') setImmediate(() => controller.abort());
    const step = await pending;
    if (step.done) value = step.value;
    else events.push(step.value);
  }
  return { events, value, journal, listeners: getEventListeners(controller.signal, 'abort').length };
}

describe('an abort', () => {
  test.prop([fc.nat(40), fc.constantFrom('reader', 'outside'), fc.boolean()], { numRuns: 200 })(
    'at any point ends the run as a value, every call of a recorded reply answered once (Q03, Q07, S13)',
    async (after, how, hang) => {
      const { events, value, journal, listeners } = await aborted(hang ? Math.min(after, 20) : after, { how, hang });

      expect(['success', 'aborted']).toContain(value.subtype);
      const asked = recordsOf(journal, 'message').flatMap(({ message }) =>
        message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
      );
      expect(
        recordsOf(journal, 'tool_finished')
          .map(({ callId }) => callId)
          .toSorted(),
      ).toEqual(asked.toSorted());
      expect(events.filter(({ type }) => type === 'turn_start')).toHaveLength(
        events.filter(({ type }) => type === 'turn_end').length,
      );
      expect(listeners).toBe(0);
    },
  );

  it('before the first turn asks nobody', async () => {
    const { options, model } = runOptions([{ text: 'never' }], { signal: AbortSignal.abort() });

    const { done, value } = await runAgent(options).next();

    expect(done).toBe(true);
    expect(value).toMatchObject({ subtype: 'aborted' });
    expect(model.requests).toEqual([]);
  });

  it('during the last allowed turn is `aborted`, not `max_turns` (Q07)', async () => {
    const controller = new AbortController();
    const stop = toolNamed('stop', async () => controller.abort());
    const { options } = runOptions([calls('stop')], { tools: [stop], signal: controller.signal, maxTurns: 1 });

    const stream = runAgent(options);
    let step = await stream.next();
    while (!step.done) step = await stream.next();

    expect(step.value.subtype).toBe('aborted');
  });
});
