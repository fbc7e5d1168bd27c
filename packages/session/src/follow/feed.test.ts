import { describe, expect, it } from 'vitest';
import { memoryStore } from '../store/memory-store.ts';
import { cursorsOf } from './cursor.ts';
import { type FeedItem, feedOf, joinFeed } from './feed.ts';
import { Teller } from './teller.ts';

describe('a feed', () => {
  it('keeps live events until the entries before them are read; at the end of a run those behind what was never recorded go', async () => {
    const store = memoryStore();
    await store.create('s1', { type: 'session_created', format: 1, cwd: '/' });
    const { epoch } = (await store.acquire('s1', 'me', 60_000))!;
    const feed = joinFeed(store, 's1');
    const place = feed.placeAfter(1, new Teller('s1', await cursorsOf(store, 's1')))!;
    for (const after of [2, 3, 4]) feed.tell({ type: 'turn_end', turn: after }, after);

    feed.runEnded(3);
    for (const head of [1, 2, 3]) {
      await store.append('s1', { epoch, head }, [{ type: 'title', title: `${head + 1}` }]);
    }
    while (feed.item(place + 4) === undefined) await feed.more();

    const items = Array.from({ length: 5 }, (_, index) => feed.item(place + index) as FeedItem);
    const shown = items.map(({ seq, events }) => events[0]?.event ?? seq);
    expect(shown).toEqual([2, { type: 'turn_end', turn: 2 }, 3, { type: 'turn_end', turn: 3 }, 4]);
    feed.leave();
    expect(feedOf(store, 's1')).toBeUndefined();
  });
});
