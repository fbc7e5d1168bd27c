import { afterEach, describe, expect, it } from 'vitest';
import { memoryStore, type SessionOptions, type SessionStore } from '../../src/index.ts';
import { scriptedProvider } from '../support/makers.ts';
import { answering, linesOf, newSession, sendTo, served } from '../support/served.ts';

const { provider } = scriptedProvider(answering);
const good = { provider, model: 'm', allowedTools: [] };
const hopeless: readonly (readonly [what: string, code: string, options: object])[] = [
  ['another store', 'VALIDATION_ERROR', { ...good, store: memoryStore() }],
  ['a misspelt option', 'VALIDATION_ERROR', { ...good, systemPromt: 'x' }],
  ['no key', 'AUTHENTICATION_ERROR', { provider: { type: 'anthropic', apiKey: '' }, model: 'm' }],
];

const warnings: Error[] = [];
const note = (warning: Error) => void warnings.push(warning);
afterEach(() => {
  process.off('warning', note);
  warnings.length = 0;
});

/** A store with a session in which a message waits. */
async function waiting(): Promise<{ store: SessionStore; sessionId: string }> {
  const store = memoryStore();
  const sessionId = await newSession(store);
  await sendTo(store, sessionId, 'Hello?');
  return { store, sessionId };
}

describe('serveSessions() with options that can never make a session', () => {
  it.each(hopeless)('tells %s once, and does not try again', async (_, code, options) => {
    const { store, sessionId } = await waiting();
    let asked = 0;

    await using worker = await served(store, {
      options: () => {
        asked += 1;
        return options as SessionOptions;
      },
    });
    await worker.engine.idle();

    expect(worker.errors).toMatchObject([{ code }]);
    expect(asked).toBe(1);
    expect(await linesOf(store, sessionId)).toEqual([]);
    expect(await store.inbox(sessionId)).toHaveLength(1);
  });

  it.each(hopeless)('warns of %s once for each session where nobody wants to be told', async (_, code, options) => {
    process.on('warning', note);
    const { store, sessionId } = await waiting();
    await using worker = await served(store, { options: () => options as SessionOptions, onError: undefined as never });
    await worker.engine.idle();

    await worker.engine.submit(sessionId);
    await worker.engine.idle();
    await new Promise((go) => setImmediate(go));

    const own = warnings.filter(({ name }) => name === 'ServeSessionsWarning');
    expect(own).toMatchObject([{ code, message: expect.stringContaining(sessionId) }]);
  });

  it('takes the store of the worker among the options for what it is', async () => {
    const { store, sessionId } = await waiting();

    await using worker = await served(store, { options: () => ({ ...good, store }) });
    await worker.engine.idle();

    expect(worker.errors).toEqual([]);
    expect((await linesOf(store, sessionId)).at(-1)).toBe('ended: success');
  });
});
