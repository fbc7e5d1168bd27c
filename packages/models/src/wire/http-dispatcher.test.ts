import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { wireServer } from '../testing/index.ts';
import { currentDispatcher, fetchDispatcher } from './http-dispatcher.ts';
import { HttpExchange } from './http-exchange.ts';

const SHARED = Symbol.for('undici.globalDispatcher.1');
const before = getGlobalDispatcher();
const shared = globalThis as { [SHARED]?: unknown };
const own = Object.getOwnPropertyDescriptor(globalThis, 'Headers')!; // Node has it
const agent = new Agent(); // without a connection there is nothing to close

afterEach(() => {
  Object.defineProperty(globalThis, 'Headers', own);
  vi.unstubAllGlobals();
  setGlobalDispatcher(before);
});

describe('currentDispatcher', () => {
  it('is the one that all copies of undici share', () => {
    setGlobalDispatcher(agent);

    expect(currentDispatcher()).toBe(agent);
  });

  it('is the one that Node sets once a class of its fetch is touched', () => {
    const { Headers } = globalThis;
    shared[SHARED] = undefined;
    Object.defineProperty(globalThis, 'Headers', {
      configurable: true,
      get() {
        shared[SHARED] = agent;
        return Headers;
      },
    });

    expect(currentDispatcher()).toBe(agent);
  });

  it.each<[string, unknown]>([
    ['nothing is shared', undefined],
    ['what is shared cannot dispatch', { dispatch: true }],
  ])('is fetch where %s', (_, given) => {
    shared[SHARED] = given;

    expect(currentDispatcher()).toBe(fetchDispatcher);
  });

  it('is fetch where a runtime has none of its classes', () => {
    shared[SHARED] = undefined;
    vi.stubGlobal('Headers', undefined);

    expect(currentDispatcher()).toBe(fetchDispatcher);
  });
});

describe('fetchDispatcher', () => {
  it('completes an answer that has no body', async () => {
    await using server = await wireServer({ status: 204, body: '' });
    const onComplete = vi.fn();

    const exchange = new HttpExchange(fetchDispatcher, {
      origin: server.url,
      path: '/',
      headers: {},
      body: Buffer.from('{}'),
      signal: new AbortController().signal,
      onComplete,
    });
    await exchange.opened();

    expect(await exchange.read()).toBeUndefined();
    expect(exchange.status).toBe(204);
    expect(onComplete).toHaveBeenCalledOnce();
  });
});
