import type { RunRecord } from '@x/core';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../store/memory-store.ts';
import { cursorsOf } from './cursor.ts';
import { type FeedItem, feedOf, joinFeed } from './feed.ts';
import type { SessionEvent } from './session-event.ts';
import { Teller } from './teller.ts';
import { watchSession } from './watch-session.ts';

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

  it('drops the oldest of too many live events behind an entry that it has not read', async () => {
    const store = memoryStore();
    await store.create('s1', { type: 'session_created', format: 1, cwd: '/' });
    const { epoch } = (await store.acquire('s1', 'me', 60_000))!;
    const feed = joinFeed(store, 's1');
    const place = feed.placeAfter(1, new Teller('s1', await cursorsOf(store, 's1')))!;
    for (let turn = 0; turn < 1025; turn++) feed.tell({ type: 'turn_end', turn }, 2);

    await store.append('s1', { epoch, head: 1 }, [{ type: 'title', title: 'T' }]);
    while (feed.item(place + 1) === undefined) await feed.more();

    const { events } = feed.item(place + 1) as FeedItem;
    expect(events[0]?.event).toEqual({ type: 'turn_end', turn: 512 });
    feed.leave();
  });

  it('tells a text from its beginning on, or not at all: a reader that comes in the middle is told the message', async () => {
    const store = memoryStore();
    await store.create('s1', { type: 'session_created', format: 1, cwd: '/' });
    const { epoch } = (await store.acquire('s1', 'me', 60_000))!;
    const [early, late] = [watchSession({ store, sessionId: 's1' }), watchSession({ store, sessionId: 's1' })];
    const toldEarly = [early.next()];
    await turns();
    const feed = feedOf(store, 's1')!;

    feed.tell({ type: 'reply_started', id: 'm1' }, 1);
    feed.tell({ type: 'content', delta: 'I ' }, 1);
    const toldLate = [late.next()];
    await turns();
    feed.tell({ type: 'content', delta: 'see.' }, 1);
    const message = { id: 'm1', role: 'assistant', content: [{ type: 'text', text: 'I see.' }] };
    const record = { type: 'message', message } as unknown as RunRecord; // all of a message that this test looks at
    await store.append('s1', { epoch, head: 1 }, [{ type: 'record', scope: [], record }]);

    while (toldEarly.length < 5) toldEarly.push(early.next());
    expect(await typesOf(toldEarly)).toEqual(['text_start', 'content', 'content', 'text_end', 'message']);
    expect(await typesOf(toldLate)).toEqual(['message']);
    await Promise.all([early.return(), late.return()]);
  });
});

const typesOf = async (told: readonly Promise<IteratorResult<SessionEvent, void>>[]) =>
  (await Promise.all(told)).map(({ value }) => value?.event.type);
const turns = async () => {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
};
