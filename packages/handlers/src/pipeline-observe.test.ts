import type { AgentEvent } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { progress, run } from '../test/values.ts';
import { Pipeline } from './pipeline.ts';

async function* events(...list: AgentEvent[]): AsyncGenerator<AgentEvent, string, void> {
  yield* list;
  return 'value';
}

describe('Pipeline.observe', () => {
  it('is the stream itself when nobody observes', () => {
    const stream = events();

    expect(new Pipeline([{ name: 'x' }]).observe(stream, run())).toBe(stream);
  });

  it('shows each event before it is yielded, and returns the value', async () => {
    const order: string[] = [];
    const pipeline = new Pipeline([{ name: 'o', onEvent: (event) => void order.push(`saw ${event.type}`) }]);

    const stream = pipeline.observe(events(progress('a'), { type: 'notification', kind: 'test', message: 'b' }), run());
    for await (const event of stream) order.push(`read ${event.type}`);

    expect(order).toEqual(['saw tool_progress', 'read tool_progress', 'saw notification', 'read notification']);
    expect((await collect(pipeline.observe(events(), run()))).value).toBe('value');
  });

  it('ends the stream with the error of an observer, and cleans up', async () => {
    let cleaned = false;
    async function* stream() {
      try {
        yield progress('a');
      } finally {
        cleaned = true;
      }
    }
    const pipeline = new Pipeline([{ name: 'o', onEvent: () => Promise.reject(new Error('observer')) }]);

    await expect(collect(pipeline.observe(stream(), run()))).rejects.toThrow('observer');

    expect(cleaned).toBe(true);
  });

  it('ends the inner stream when it is left early', async () => {
    let cleaned = false;
    async function* stream() {
      try {
        yield progress('a');
        yield progress('b');
      } finally {
        cleaned = true;
      }
    }
    const observed = new Pipeline([{ name: 'o', onEvent: () => undefined }]).observe(stream(), run());
    await observed.next();

    await observed.return(undefined);

    expect(cleaned).toBe(true);
  });
});
