import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../event.ts';
import type { ModelRequest, ModelStream } from '../model.ts';
import { collect, scriptedModel } from '../testing/index.ts';
import { beforeFirstDelta, isDelta } from './before-first-delta.ts';

const requestOf = (): ModelRequest => ({
  instruction: '',
  messages: [],
  tools: [],
  signal: new AbortController().signal,
});
const spoken = (text: string | readonly string[]) => scriptedModel([{ text }]).stream(requestOf());
const told: AgentEvent = { type: 'notification', kind: 'test', message: 'm' };

/** A stream that yields these, then fails; `closed` counts how often it was cleaned up. */
function failing(events: readonly AgentEvent[], closed: string[] = []): ModelStream {
  return (async function* (): ModelStream {
    try {
      yield* events;
      throw new Error('cut');
    } finally {
      closed.push('closed');
    }
  })();
}

describe('beforeFirstDelta', () => {
  it('is the stream where nothing fails', async () => {
    const { events, value } = await collect(
      beforeFirstDelta(
        () => spoken(['a', 'b']),
        () => failing([]),
      ),
    );

    expect(events).toEqual([
      { type: 'content', delta: 'a' },
      { type: 'content', delta: 'b' },
    ]);
    expect(value.content).toEqual([{ type: 'text', text: 'ab' }]);
  });

  it('goes on with another stream after an error before the first delta, and closes the failed one', async () => {
    const closed: string[] = [];
    const seen: unknown[] = [];

    const stream = beforeFirstDelta(
      () => failing([told], closed),
      (error) => (seen.push(error, ...closed), spoken('b')),
    );
    const { events } = await collect(stream);

    expect(events).toEqual([told, { type: 'content', delta: 'b' }]);
    expect(seen).toEqual([new Error('cut'), 'closed']);
  });

  it('recovers from what is thrown before there is a stream', async () => {
    const start = (): ModelStream => {
      throw new Error('at once');
    };

    const { value } = await collect(beforeFirstDelta(start, () => spoken('b')));

    expect(value.content).toEqual([{ type: 'text', text: 'b' }]);
  });

  it.each(['content', 'thinking'] as const)('passes an error on once %s was seen', async (type) => {
    const stream = beforeFirstDelta(
      () => failing([{ type, delta: 'a' }]),
      () => spoken('b'),
    );

    await expect(collect(stream)).rejects.toThrow('cut');
  });

  it.each([[[told]], [[{ type: 'content' as const, delta: 'a' }]]])(
    'closes the stream when the reader leaves: %j',
    async (events) => {
      const closed: string[] = [];
      const stream = beforeFirstDelta(
        () => failing(events, closed),
        () => spoken('b'),
      );
      await stream.next();

      await stream.return(undefined as never);

      expect(closed).toEqual(['closed']);
    },
  );
});

describe('isDelta', () => {
  it('knows the pieces of a reply', () => {
    expect([isDelta({ type: 'content', delta: '' }), isDelta({ type: 'thinking', delta: '' }), isDelta(told)]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
