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

  it('sees what a parser has made of an answer, in a copy as far as there are copies', async () => {
    class Money {
      readonly #cents = 7;
      get cents() {
        return this.#cents;
      }
    }
    const link = new URL('https://a.example/');
    const circle: Record<string, unknown> = { list: [1], bare: Object.assign(Object.create(null) as object, { a: 1 }) };
    circle['self'] = circle;
    const structured = { link, money: new Money(), call: () => 1, circle, ['__proto__']: { a: 1 } };
    const event: AgentEvent = { type: 'result', subtype: 'success', messageId: 'm', usage: { ...usage }, structured };
    const seen: (typeof structured)[] = [];
    const pipeline = new Pipeline([
      {
        name: 'vandal',
        onEvent: (told) => {
          const value = (told as { structured: typeof structured }).structured;
          seen.push({ ...value });
          value.link = new URL('https://b.example/');
          (value.circle['list'] as number[]).push(2);
        },
      },
    ]);

    await pipeline.notify(event, run());

    expect(seen[0]).toMatchObject({ link, circle: { list: [1, 2], bare: { a: 1 } } });
    expect(seen[0]!.money.cents).toBe(7);
    expect(seen[0]!.circle['self']).toBe(seen[0]!.circle);
    expect([structured.link, circle['list']]).toEqual([link, [1]]);
    expect(Object.getPrototypeOf(structured)).toBe(Object.prototype);
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
