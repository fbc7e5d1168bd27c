import { describe, expect, it } from 'vitest';
import type { LiveChannel } from '../log/live-channel.ts';
import type { SessionStore } from '../log/session-store.ts';
import { memoryStore } from '../store/memory-store.ts';
import { cursorsOf } from './cursor.ts';
import { type FeedItem, joinFeed } from './feed.ts';
import type { LiveEvent } from './live-event.ts';
import { Teller } from './teller.ts';

/** A feed that is followed, and what brings it live events of other processes. */
async function followed() {
  let hear: (text: string) => void = () => undefined;
  const live: LiveChannel = {
    open: () => undefined,
    isHeard: () => false,
    publish: () => undefined,
    subscribe: (_id, listener) => {
      hear = listener;
      return () => (hear = () => undefined);
    },
  };
  const store: SessionStore = { ...memoryStore(), live };
  await store.create('s1', { type: 'session_created', format: 1, cwd: '/' });
  await store.acquire('s1', 'one', 60_000);
  const { epoch } = (await store.acquire('s1', 'two', 60_000, { takeOver: true }))!; // safe: it is taken
  const feed = joinFeed(store, 's1');
  const place = feed.placeAfter(1, new Teller('s1', await cursorsOf(store, 's1')))!; // safe: it is at the end
  const batch = (sender: string, number: number, ...events: readonly Omit<LiveEvent, 'at'>[]) =>
    hear(JSON.stringify({ sender, number, events: events.map((event) => ({ ...event, at: 0 })) }));
  const record = (head: number) => store.append('s1', { epoch, head }, [{ type: 'title', title: `${head + 1}` }]);
  const told = async (count: number) => {
    while (feed.item(place + count - 1) === undefined) await feed.more();
    const items = Array.from({ length: count }, (_, index) => feed.item(place + index) as FeedItem); // safe: they are there
    return items.flatMap(({ seq, events }): unknown[] =>
      events.length === 0 ? [seq] : events.map(({ event }) => event),
    );
  };
  return { feed, batch, record, told };
}
const turn = (number: number) => ({ type: 'turn_end', turn: number }) as const;

describe('a feed that hears of another process', () => {
  it('forgets what an owner has said behind entries that it could not record, when the next one speaks', async () => {
    const { feed, batch, record, told } = await followed();
    batch('old', 1, { after: 5, epoch: 1, event: turn(5) });
    batch('new', 1, { after: 2, epoch: 2, event: turn(2) });

    await record(1);

    expect(await told(2)).toEqual([2, turn(2)]);
    feed.leave();
  });

  it('takes nothing of an owner for a gap in what the next one says', async () => {
    const { feed, batch, told } = await followed();
    const piece = (delta: string) => ({ type: 'content', delta }) as const;
    batch('new', 1, { after: 1, epoch: 2, event: { type: 'reply_started', id: 'a' } });
    batch('new', 2, { after: 1, epoch: 2, event: piece('x') });
    batch('old', 7, { after: 1, epoch: 1, event: turn(1) });
    batch('new', 3, { after: 1, epoch: 2, event: piece('y') });

    expect(await told(2)).toEqual([{ type: 'text_start', id: 'a' }, piece('x'), piece('y')]);
    feed.leave();
  });

  it('tells nothing more of a text when it has dropped a piece that was waiting for its entry', async () => {
    const { feed, batch, record, told } = await followed();
    batch('new', 1, { after: 1, epoch: 2, event: { type: 'reply_started', id: 'a' } });
    const pieces = Array.from({ length: 1_030 }, () => ({ type: 'content', delta: 'x' }) as const);
    batch('new', 2, ...pieces.map((event) => ({ after: 2, epoch: 2, event })));
    batch('new', 3, { after: 2, epoch: 2, event: turn(1) });

    await record(1);

    expect(await told(2)).toEqual([2, turn(1)]);
    feed.leave();
  });
});
