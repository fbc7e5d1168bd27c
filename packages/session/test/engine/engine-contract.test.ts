import { describe, expect, it } from 'vitest';
import { localEngine, type RunEngine } from '../../src/index.ts';
import type { SessionWork } from '../../src/store-port.ts';
import { engineContract } from '../../src/testing/engine-contract.ts';

const soon = () => localEngine({ retryDelay: 1, maxRetryDelay: 4 });

describe('engineContract()', () => {
  describe('on localEngine()', () => {
    it.concurrent.each(engineContract(soon))('$name', ({ run }) => expect(run()).resolves.toBeUndefined());
  });

  describe('on a local engine that runs one session at a time', () => {
    const alone = () => localEngine({ concurrency: 1, retryDelay: 1, maxRetryDelay: 4 });
    it.concurrent.each(engineContract(alone))('$name', ({ run }) => expect(run()).resolves.toBeUndefined());
  });

  it.concurrent('says so of an engine that does not answer', async ({ expect }) => {
    const make = (): RunEngine => ({
      ...soon(),
      submit: waiting,
      serve: waiting,
      [Symbol.asyncDispose]: async () => {},
    });
    const [first] = engineContract(make, { patienceMs: 5 });

    await expect(first?.run()).rejects.toThrow('within 5 ms');
  });

  it.concurrent.each<[string, (engine: RunEngine) => Partial<RunEngine>, RegExp]>([
    ['loses an ask', (engine) => ({ submit: everySecond((id) => engine.submit(id)) }), /every session that was asked/],
    ['loses asks while nobody serves', onlyWhileServed, /until somebody serves/],
    ['runs one session twice at once', twiceAtOnce, /never runs a session twice at once/],
    ['runs once for each ask that waits', twiceAtOnce, /for the same/],
    ['forgets what is asked during the work', deafWhileRunning, /asked while it ran/],
    [
      'gives up after an error',
      (engine) => ({ serve: (work) => engine.serve((...args) => work(...args).catch(() => undefined)) }),
      /brings a session back/,
    ],
    [
      'forgets to abort',
      (engine) => ({ serve: (work) => engine.serve((id) => work(id, new AbortController().signal)) }),
      /aborts the work under way when serving/,
    ],
    ['does not wait for the work', notWaiting, /waits for work/],
    ['loses what it has cut off', losingWhatIsCut, /cut off/],
    ['brings back what was done', neverDone, /was done while/],
    ['takes asks after its end', () => ({ submit: async () => undefined }), /once it is disposed of/],
    ['stops for all when one leaves', stoppingForAll, /goes on with the others/],
  ])('notices an engine that %s', async (_fault, change, promise) => {
    const broken = await brokenBy(change);

    expect(broken.filter((name) => promise.test(name))).toHaveLength(1);
  });
});

const waiting = () => new Promise<never>(() => undefined);

/** The names of the promises that a changed local engine breaks. */
async function brokenBy(change: (engine: RunEngine) => Partial<RunEngine>): Promise<string[]> {
  const make = () => {
    const engine = soon();
    const same: RunEngine = {
      submit: (sessionId) => engine.submit(sessionId),
      serve: (work) => engine.serve(work),
      [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
    };
    return { ...same, ...change(engine) };
  };
  const cases = engineContract(make, { patienceMs: 200 });
  const outcomes = await Promise.allSettled(cases.map(({ run }) => run()));
  return cases.flatMap(({ name }, index) => (outcomes[index]?.status === 'rejected' ? [name] : []));
}

function everySecond(submit: RunEngine['submit']): RunEngine['submit'] {
  let asks = 0;
  return async (sessionId) => (++asks % 2 === 0 ? undefined : await submit(sessionId));
}

function onlyWhileServed(engine: RunEngine): Partial<RunEngine> {
  let served = false;
  return {
    submit: async (sessionId) => (served ? await engine.submit(sessionId) : undefined),
    serve: (work) => {
      served = true;
      return engine.serve(work);
    },
  };
}

function twiceAtOnce(engine: RunEngine): Partial<RunEngine> {
  let asks = 0;
  return {
    submit: (sessionId) => engine.submit(`${sessionId}#${asks++}`),
    serve: (work) => engine.serve((ask, signal) => work(ask.split('#')[0]!, signal)),
  };
}

function deafWhileRunning(engine: RunEngine): Partial<RunEngine> {
  const running = new Set<string>();
  const noted =
    (work: SessionWork): SessionWork =>
    async (sessionId, signal) => {
      running.add(sessionId);
      await work(sessionId, signal).finally(() => running.delete(sessionId));
    };
  return {
    submit: async (sessionId) => (running.has(sessionId) ? undefined : await engine.submit(sessionId)),
    serve: (work) => engine.serve(noted(work)),
  };
}

function notWaiting(engine: RunEngine): Partial<RunEngine> {
  return {
    serve: async (work) => {
      const serving = await engine.serve(work);
      return { [Symbol.asyncDispose]: async () => void serving[Symbol.asyncDispose]() };
    },
  };
}

function losingWhatIsCut(engine: RunEngine): Partial<RunEngine> {
  const work =
    (inner: SessionWork): SessionWork =>
    (id, signal) =>
      inner(id, signal).catch((error: unknown) => (signal.aborted ? undefined : Promise.reject(error)));
  return { serve: (inner) => engine.serve(work(inner)) };
}

function neverDone(engine: RunEngine): Partial<RunEngine> {
  const work =
    (inner: SessionWork): SessionWork =>
    async (id, signal) => {
      await inner(id, signal);
      signal.throwIfAborted();
    };
  return { serve: (inner) => engine.serve(work(inner)) };
}

function stoppingForAll(engine: RunEngine): Partial<RunEngine> {
  const all: AsyncDisposable[] = [];
  return {
    serve: async (work) => {
      all.push(await engine.serve(work));
      const leave = async () => void (await Promise.all(all.splice(0).map((one) => one[Symbol.asyncDispose]())));
      return { [Symbol.asyncDispose]: leave };
    },
  };
}
