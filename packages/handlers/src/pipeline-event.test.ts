import { type AgentEvent, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { run } from '../test/values.ts';
import { Pipeline } from './pipeline.ts';

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
const events = (): AgentEvent[] => [
  { type: 'content', delta: 'a' },
  { type: 'tool_use', id: 'c', name: 'Bash', input: { command: 'ls', env: { A: '1' } } },
  { type: 'message', message: userMessage('Begin.') },
  { type: 'usage', usage: { ...usage } },
  { type: 'result', subtype: 'success', messageId: 'm', usage: { ...usage }, structured: { list: [1] } },
  {
    type: 'subagent',
    callId: 'c',
    agentName: 'a',
    event: { type: 'tool_use', id: 'd', name: 'Bash', input: { command: 'ls' } },
  },
];

/** Writes over everything it can reach. */
function vandalise(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const record = value as Record<string, unknown>;
  for (const key of Object.keys(record)) {
    vandalise(record[key]);
    record[key] = 'changed';
  }
}

describe('an observer', () => {
  it('sees every event, and changes none, for the reader as for the observers behind it', async () => {
    const given = events();
    const before = structuredClone(given);
    const seen: AgentEvent[] = [];
    const pipeline = new Pipeline([
      { name: 'vandal', onEvent: vandalise },
      { name: 'witness', onEvent: (event) => void seen.push(event) },
    ]);

    const read = await collect(
      pipeline.observe(
        (async function* () {
          yield* given;
        })(),
        run(),
      ),
    );

    expect(read.events).toEqual(before);
    expect(seen).toEqual(before);
    expect(read.events[0]).toBe(given[0]);
  });

  it('that throws is the last one to be told', async () => {
    const told: string[] = [];
    const pipeline = new Pipeline([
      { name: 'throws', onEvent: () => Promise.reject(new Error('observer')) },
      { name: 'later', onEvent: ({ type }) => void told.push(type) },
    ]);

    await expect(pipeline.notify(events()[0]!, run())).rejects.toThrow('observer');

    expect(told).toEqual([]);
  });
});
