import { describe, expect, it, vi } from 'vitest';
import type { LiveChannel } from '../log/live-channel.ts';
import { batchIn, LiveSender } from './live-batch.ts';

function sender() {
  const published: string[] = [];
  const channel = { publish: (_id: string, text: string) => void published.push(text) } as unknown as LiveChannel; // safe: all of it that is used
  return { sender: new LiveSender(channel, 's1'), published };
}
const live = (delta: string) => ({ after: 1, at: 0, epoch: 1, event: { type: 'content', delta } as const });

describe('a sender of live events', () => {
  it('collects them, and sends them by itself', async () => {
    const { sender: one, published } = sender();

    one.tell(live('a'));
    one.tell(live('b'));
    await vi.waitUntil(() => published.length > 0, { timeout: 45_000 });
    one.flush();
    one.tell(live('c'));
    one.flush();

    const batches = published.map((text) => batchIn(text));
    expect(batches).toMatchObject([
      { number: 1, events: [live('a'), live('b')] },
      { number: 2, events: [live('c')] },
    ]);
    expect(new Set(batches.map((batch) => batch?.sender)).size).toBe(1);
  });

  it('sends what is full at once, and leaves out what is too large, which shows in the numbers', () => {
    const { sender: one, published } = sender();
    const [half, tooMuch] = ['x'.repeat(20_000), 'x'.repeat(40_000)];

    for (const delta of [half, half, tooMuch, 'end']) one.tell(live(delta));
    one.flush();

    const batches = published.map((text) => batchIn(text));
    expect(batches.map((batch) => [batch?.number, batch?.events.length])).toEqual([
      [1, 1],
      [2, 1],
      [4, 1],
    ]);
  });
});

describe('a text that is no batch', () => {
  it.each([
    ['', 'null', '3', '[]', '{}', '{"sender":"a"}', '{"sender":"a","number":1}'],
    ['{"sender":"a","number":1,"events":[null]}', '{"sender":"a","number":1,"events":[{"after":1}]}'],
    ['{"sender":"a","number":1,"events":[{"after":1,"at":1,"epoch":"1","event":{"type":"x"}}]}'],
    ['{"sender":"a","number":1,"events":[{"after":1,"at":1,"epoch":1,"event":null}]}'],
  ])('is passed over: %s', (...texts) => {
    expect(texts.map((text) => batchIn(text))).toEqual(texts.map(() => undefined));
  });
});
