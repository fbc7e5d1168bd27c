import { fc, test } from '@fast-check/vitest';
import { flattened } from '@x/core/streams';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { onceDurable as delegating } from './once-durable.ts';

const onceDurable = (...given: Parameters<typeof delegating<string, string | void>>) => flattened(delegating(...given));

/** A stream of texts that tells what was pulled from it and whether it was ended. */
function streamOf(texts: readonly string[]) {
  const seen = { pulled: [] as string[], ended: false };
  async function* stream(): AsyncGenerator<string, string, void> {
    try {
      for (const text of texts) {
        seen.pulled.push(text);
        yield text;
      }
      return 'value';
    } finally {
      seen.ended = true;
    }
  }
  return { stream: stream(), seen };
}

/** Long enough for every step that does not wait for the record. */
const aMoment = () => new Promise((resolve) => setImmediate(resolve));
const pausesAt = (text: string) => text === 'started';

describe('onceDurable', () => {
  test.prop([fc.array(fc.string()), fc.array(fc.constantFrom('a', 'started', 'b')), fc.boolean()])(
    'tells all in order and returns the value, whenever the record becomes durable',
    async (before, texts, atOnce) => {
      const recorded = atOnce ? Promise.resolve() : aMoment().then(() => undefined);

      const { events, value } = await collect(
        onceDurable(recorded, { before, stream: streamOf(texts).stream, pausesAt }),
      );

      expect(events).toEqual([...before, ...texts]);
      expect(value).toBe('value');
    },
  );

  it('pulls up to the pause and tells nothing before the record is durable', async () => {
    const record = Promise.withResolvers<void>();
    const { stream, seen } = streamOf(['a', 'started', 'b']);
    const told: string[] = [];
    const reading = (async () => {
      for await (const text of onceDurable(record.promise, { before: ['reply'], stream, pausesAt })) told.push(text);
    })();

    await aMoment();
    const whilePending = { told: [...told], pulled: [...seen.pulled] };
    record.resolve();
    await reading;

    expect(whilePending).toEqual({ told: [], pulled: ['a', 'started'] });
    expect(told).toEqual(['reply', 'a', 'started', 'b']);
  });

  it('does not hold back what is durable behind a stream that waits', async () => {
    const gate = Promise.withResolvers<void>();
    async function* waiting(): AsyncGenerator<string, void, void> {
      await gate.promise;
      yield 'late';
    }
    const events = onceDurable(Promise.resolve(), { before: ['reply'], stream: waiting(), pausesAt });

    expect(await events.next()).toEqual({ value: 'reply', done: false });

    gate.resolve();
    expect(await events.next()).toEqual({ value: 'late', done: false });
    await events.return(undefined);
  });

  it('tells nothing, ends the stream and throws the reason when the record fails', async () => {
    const { stream, seen } = streamOf(['a', 'started', 'b']);
    const events = onceDurable(Promise.reject(new Error('fenced')), { before: ['reply'], stream, pausesAt });

    await expect(events.next()).rejects.toThrow('fenced');

    expect(seen.ended).toBe(true);
    expect(seen.pulled).not.toContain('b');
  });

  it('ends the stream when its reader leaves', async () => {
    const { stream, seen } = streamOf(['a', 'started', 'b']);
    const events = onceDurable(Promise.resolve(), { before: [], stream, pausesAt });
    await events.next();

    await events.return('value');

    expect(seen.ended).toBe(true);
  });
});
