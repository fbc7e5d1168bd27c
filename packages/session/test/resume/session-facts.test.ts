import { AgentError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { createSession, listSessions, memoryStore, type SessionOptions, type SessionStore } from '../../src/index.ts';
import { folded } from '../support/logs.ts';
import { bodiesOf, codeOf, echoTool, read, say, scriptedProvider, scriptedSession } from '../support/makers.ts';
import { expiring, resumed } from '../support/resumed.ts';

const made = (options: Partial<SessionOptions> = {}) => scriptedSession(() => ({ text: 'Done.' }), options);
const titlesIn = async (store: SessionStore, sessionId: string) =>
  (await bodiesOf(store, sessionId)).flatMap((body) => (body.type === 'title' ? [body.title] : []));

describe('the title of a session', () => {
  it('is the first line of the first message, recorded in one step with the start of its run', async () => {
    const store = memoryStore();
    const appends: string[][] = [];
    const append: SessionStore['append'] = async (sessionId, expected, entries, consume) => {
      appends.push(entries.map(({ type }) => type));
      return await store.append(sessionId, expected, entries, consume);
    };
    const { session } = await made({ store: { ...store, append } });
    const before = session.title;

    await say(session, '\n  Fix the build, please. \nIt fails.');
    await say(session, 'Another.');

    expect([before, session.title]).toEqual([undefined, 'Fix the build, please.']);
    expect(appends[0]).toEqual(['title', 'run_started']);
    expect(appends.flat().filter((type) => type === 'title')).toHaveLength(1);
    expect((await store.list()).sessions[0]?.title).toBe(session.title);
  });

  it.each([
    ['x'.repeat(100), 'x'.repeat(80)],
    ['\u{1F600}'.repeat(100), '\u{1F600}'.repeat(80)],
    ['a\u0007\u001b[31mb', 'a [31mb'],
    ['broken \ud800', 'broken \ufffd'],
    [' \n\t', undefined],
  ])('of %j is %j', async (message, title) => {
    const { session } = await made();

    await say(session, message);

    expect(session.title).toBe(title);
  });

  it('is the host’s, where it gives one: at the start, at any time, when it resumes', async () => {
    const store = memoryStore();
    const { session } = await made({ store, title: 'At the start', metadata: { a: '1' } });
    const first = (await store.list()).sessions;
    await say(session, 'A message.');
    await session.setTitle('Between runs');
    await session.setMetadata({ b: '2' });
    const second = (await store.list()).sessions;
    await session.close();

    const { session: again } = await resumed(store, session.sessionId, [], { title: 'Resumed', metadata: {} });
    const { session: same } = await resumed(store, session.sessionId, [], { title: 'Resumed' });

    expect(first).toMatchObject([{ title: 'At the start', metadata: { a: '1' } }]);
    expect(second).toMatchObject([{ title: 'Between runs', metadata: { b: '2' } }]);
    expect([again.title, again.metadata, same.title]).toEqual(['Resumed', {}, 'Resumed']);
    expect(await titlesIn(store, session.sessionId)).toEqual(['At the start', 'Between runs', 'Resumed']);
    expect(await codeOf(session.setTitle('Closed'))).toBe('SESSION_CLOSED');
  });

  it('can be set during a run, through its log, and does not disturb it', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession(
      [{ toolCalls: [{ name: 'echo', input: { text: 'a' } }] }, { text: 'Done.' }],
      { store, tools: [echoTool(() => session.setTitle('In a tool'))] },
    );
    await session.send('Begin.');

    const types: string[] = [];
    for await (const { type } of session.stream()) {
      types.push(type);
      if (type === 'usage') await session.setMetadata({ seen: String(types.length) });
    }
    await say(session, 'Again.').catch(() => undefined);

    expect(types.at(-1)).toBe('result');
    expect([session.title, session.metadata]).toEqual(['In a tool', { seen: expect.any(String) }]);
    expect(await titlesIn(store, session.sessionId)).toEqual(['Begin.', 'In a tool']);
  });

  it('may be set beside everything else, without waiting', async () => {
    const store = memoryStore();
    const { session } = await made({ store });
    await session.send('Begin.');

    const setting = Array.from({ length: 5 }, (_, number) => session.setTitle(`Title ${number}`));
    const running = read(session);
    setting.push(session.setTitle('During'));
    await Promise.all([...setting, running]);
    setting.push(session.setTitle('Behind'));
    await Promise.all([say(session, 'Again.'), setting.at(-1)]);
    const last = session.setTitle('At last');
    await session.close();
    await last;

    const titles = await titlesIn(store, session.sessionId);
    expect(titles).toEqual(['Title 0', 'Title 1', 'Title 2', 'Title 3', 'Title 4', 'During', 'Behind', 'At last']);
    expect((await store.list()).sessions[0]?.title).toBe('At last');
  });

  it('is recorded before `close` resolves, and while the lease of a run is given back', async () => {
    const inner = memoryStore();
    const order: string[] = [];
    const setting: Promise<unknown>[] = [];
    const release: SessionStore['release'] = async (lease) => {
      if (setting.length === 0) setting.push(session.setTitle('In the end').then(() => order.push('in the end')));
      await new Promise((resolve) => setImmediate(resolve));
      await inner.release(lease);
    };
    const { session } = await made({ store: { ...inner, release } });
    await say(session, 'Begin.');
    setting.push(session.setTitle('Closing').then(() => order.push('closing')));

    await session.close().then(() => order.push('closed'));
    await Promise.all(setting);

    expect(order).toEqual(['in the end', 'closing', 'closed']);
    expect(await titlesIn(inner, session.sessionId)).toEqual(['Begin.', 'In the end', 'Closing']);
  });

  it('leaves nothing out of what another process records while the session is resumed with one', async () => {
    const inner = memoryStore();
    const { session: first } = await made({ store: inner });
    const { sessionId } = first;
    await say(first, 'before');
    const { session: other } = await resumed(inner, sessionId, () => ({ text: 'Meanwhile.' }));
    let isFirst = true;
    const acquire: SessionStore['acquire'] = async (...asked) => {
      if (isFirst) {
        isFirst = false;
        await other.setMetadata({ by: 'another process' });
        await say(other, 'meanwhile');
      }
      return await inner.acquire(...asked);
    };
    const { session, model } = await resumed({ ...inner, acquire }, sessionId, () => ({ text: 'Done.' }), {
      title: 'Resumed',
    });

    await say(session, 'at last');

    expect(model.requests[0]!.messages.slice(0, 4)).toEqual(other.messages);
    expect(session.messages).toHaveLength(6);
    expect(session.metadata).toEqual({ by: 'another process' });
    expect(folded(await bodiesOf(inner, sessionId)).scopes.get('')?.messages).toEqual(session.messages);
  });

  it.each([
    ['SESSION_FENCED', 'resolved', 2],
    ['STORE_FAILED', 'STORE_FAILED', 1],
  ])('tries on its own when the run has lost the session (%s: %s)', async (code, outcome, tries) => {
    const inner = expiring(memoryStore());
    let titles = 0;
    const append: SessionStore['append'] = async (...asked) => {
      const [, , [first]] = asked;
      if (first?.type === 'title' && first.title === 'New' && ++titles === 1) throw new AgentError('Lost', { code });
      return await inner.append(...asked);
    };
    const outcomes: unknown[] = [];
    const setting = echoTool(async () => outcomes.push(await codeOf(session.setTitle('New'))));
    const calls = [{ name: 'echo', input: { text: 'a' } }];
    const { session } = await scriptedSession([{ toolCalls: calls }], {
      store: { ...inner, append },
      tools: [setting],
    });

    await say(session, 'Begin.').catch(() => undefined);

    expect(outcomes).toEqual([outcome]);
    expect(titles).toBe(tries);
  });

  it('is refused with SESSION_BUSY while the session is run elsewhere', async () => {
    const store = memoryStore();
    const { session } = await made({ store });
    await say(session, 'Begin.');
    const lease = await store.acquire(session.sessionId, 'another process', 10_000);

    const codes = [
      await codeOf(session.setTitle('No')),
      await codeOf(session.setMetadata({})),
      await codeOf(resumed(store, session.sessionId, [], { title: 'No' })),
    ];
    await store.release(lease!);
    await session.setTitle('Yes');

    expect(codes).toEqual(['SESSION_BUSY', 'SESSION_BUSY', 'SESSION_BUSY']);
    expect(await titlesIn(store, session.sessionId)).toEqual(['Begin.', 'Yes']);
  });

  it.each<[string, object]>([
    ['title', { title: '' }],
    ['title', { title: ' ' }],
    ['title', { title: 'x'.repeat(201) }],
    ['title', { title: 7 }],
    ['metadata', { metadata: 'x' }],
    ['metadata', { metadata: ['x'] }],
    ['metadata.a', { metadata: { a: 1 } }],
    ['metadata', { metadata: Object.fromEntries(Array.from({ length: 33 }, (_, key) => [key, ''])) }],
    ['metadata', { metadata: { a: 'x'.repeat(4096) } }],
  ])('%s is refused as %j', async (field, options) => {
    const { provider } = scriptedProvider([]);
    const { session } = await made();
    const [value] = Object.values(options) as never[];

    const creating = createSession({ provider, model: 'm', store: memoryStore(), ...options });
    const setting = field === 'title' ? session.setTitle(value!) : session.setMetadata(value!);

    await expect(creating).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field });
    await expect(setting).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field });
  });

  it('takes metadata of any name, and is not changed through it', async () => {
    const store = memoryStore();
    const metadata = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>;
    const { session } = await made({ store, metadata });

    metadata['constructor'] = 'changed';
    (session.metadata as Record<string, string>)['more'] = 'x';
    const { session: again } = await resumed(store, session.sessionId, []);

    for (const found of [session.metadata, again.metadata, (await listSessions({ store })).sessions[0]?.metadata])
      expect(JSON.stringify(found)).toBe('{"__proto__":"x","constructor":"y"}');
  });
});
