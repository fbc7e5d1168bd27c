import { ValidationError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { bullmqEngine } from '../../src/bullmq/index.ts';
import {
  createSession,
  deleteSession,
  diagnose,
  exportSession,
  forkSession,
  type ISession,
  importSession,
  listSessions,
  localEngine,
  memoryStore,
  prompt,
  resumeSession,
  type SessionOptions,
  serveSessions,
  sessionUsage,
  sqliteStore,
} from '../../src/index.ts';
import { pgBossEngine } from '../../src/pg-boss/index.ts';
import { engineContract, storeContract } from '../../src/testing/index.ts';
import { scriptedProvider, scriptedSession } from '../support/makers.ts';

/** What takes an object of options, and one of its keys with a letter too few. */
const TAKERS: readonly [string, (options: never, session: ISession) => unknown, string][] = [
  ['createSession', (options) => createSession(options), 'mode'],
  ['resumeSession', (options) => resumeSession(options), 'sessionI'],
  ['forkSession', (options) => forkSession(options), 'messageI'],
  ['prompt', (options) => prompt('Begin.', options), 'mode'],
  ['listSessions', (options) => listSessions(options), 'limi'],
  ['deleteSession', (options) => deleteSession('x', options), 'stor'],
  ['exportSession', (options) => exportSession('x', options).next(), 'stor'],
  ['importSession', (options) => importSession([], options), 'sessionI'],
  ['sessionUsage', (options) => sessionUsage(memoryStore(), 'x', options), 'price'],
  ['diagnose', (options) => diagnose(options), 'storePat'],
  ['localEngine', (options) => localEngine(options), 'concurrenc'],
  ['pgBossEngine', (options) => pgBossEngine(options), 'queu'],
  ['bullmqEngine', (options) => bullmqEngine(options), 'connectio'],
  ['serveSessions', (options) => serveSessions(options), 'engin'],
  ['sqliteStore', (options) => sqliteStore(options), 'pat'],
  ['storeContract', (options) => storeContract(() => ({ store: memoryStore() }), options), 'commandRun'],
  ['engineContract', (options) => engineContract(() => localEngine(), options), 'patienceM'],
  ['send', (options, session) => session.send('Begin.', options), 'priorit'],
  ['stream', (options, session) => session.stream(options).next(), 'includeThinkin'],
  ['fork', (options, session) => session.fork(options), 'messageI'],
  ['supportedModels', (options, session) => session.supportedModels(options), 'signa'],
];

describe.each(TAKERS)('%s()', (_, take, key) => {
  it('refuses an unknown option by its name, and what is no object of options', async () => {
    const { session } = await scriptedSession([]);
    const asked = async (options: unknown) => await take(options as never, session);

    await expect(asked({ [key]: 1 })).rejects.toThrow(ValidationError);
    await expect(asked({ [key]: 1 })).rejects.toMatchObject({ field: key });
    for (const odd of [null, 5, 'x', [], new Map()]) await expect(asked(odd)).rejects.toThrow(ValidationError);
    await session.close();
  });
});

describe('the options of a session', () => {
  const { provider } = scriptedProvider([]);

  it('are read once, before anything is waited for', async () => {
    const store = memoryStore();
    const metadata: Record<string, unknown> = { ticket: '4711' };
    let reads = 0;
    const options = {
      provider,
      model: 'm',
      store,
      metadata,
      get title() {
        reads += 1;
        return reads === 1 ? 'Mine' : 7;
      },
    };

    const creation = createSession(options as SessionOptions);
    metadata['ticket'] = 4711;
    metadata['more'] = {};
    const session = await creation;

    expect([session.title, session.metadata, reads]).toEqual(['Mine', { ticket: '4711' }, 1]);
    expect((await listSessions({ store })).sessions).toMatchObject([{ title: 'Mine', metadata: { ticket: '4711' } }]);
  });

  it('may be frozen, without a prototype, or a proxy', async () => {
    const plain = { provider, model: 'm', store: memoryStore(), env: { A: 'b' }, metadata: { a: 'b' } };
    const bare = (record: object) => Object.assign(Object.create(null) as object, record);
    const forms = [
      Object.freeze({ ...plain, metadata: Object.freeze(plain.metadata) }),
      bare({ ...plain, metadata: bare(plain.metadata) }),
      new Proxy({ ...plain, env: new Proxy(plain.env, {}), metadata: new Proxy(plain.metadata, {}) }, {}),
    ];

    const sessions = await Promise.all(forms.map((options) => createSession(options as SessionOptions)));

    expect(sessions.map((session) => session.metadata)).toEqual([{ a: 'b' }, { a: 'b' }, { a: 'b' }]);
  });

  it('have a title that every store keeps as it is told', async () => {
    const { session } = await scriptedSession([], { title: 'half \ud83d' });

    const given = session.title;
    await session.setTitle('\udc00 half');

    expect([given, session.title]).toEqual(['half \ufffd', '\ufffd half']);
  });
});
