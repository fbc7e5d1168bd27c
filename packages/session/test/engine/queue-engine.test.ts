import { describe, expect, it, vi } from 'vitest';
import type { Ask } from '../../src/engine/ask-queue.ts';
import { QueueEngine, type QueueEngineOptions } from '../../src/engine/queue-engine.ts';
import { engineContract } from '../../src/testing/index.ts';
import { codeOf } from '../support/makers.ts';
import { memoryQueue } from '../support/memory-queue.ts';

const patience = { timeout: 45_000 };

const soon = { pollEveryMs: 2, keepEveryMs: 2, retryDelay: 1, maxRetryDelay: 4 };

function makeOn({ queue }: ReturnType<typeof memoryQueue>, options: Partial<QueueEngineOptions<Ask>> = {}) {
  return new QueueEngine({ ...soon, open: async () => queue, ...options });
}

describe('QueueEngine', () => {
  it.concurrent.each(engineContract(() => makeOn(memoryQueue())))('$name', ({ run }) =>
    expect(run()).resolves.toBeUndefined(),
  );

  describe('that runs one session at a time', () => {
    const alone = () => makeOn(memoryQueue(), { concurrency: 1 });
    it.concurrent.each(engineContract(alone))('$name', ({ run }) => expect(run()).resolves.toBeUndefined());
  });

  it('shares a queue with the engines of other processes', async () => {
    const memory = memoryQueue();
    const engines = [makeOn(memory), makeOn(memory)];
    const asked = Array.from({ length: 20 }, (_, index) => `s${index}`);
    const ran: string[] = [];
    const work = async (sessionId: string) => void ran.push(sessionId);
    for (const engine of engines) await engine.serve(work);

    await Promise.all(asked.map((sessionId) => engines[0]!.submit(sessionId)));
    await vi.waitFor(() => expect(ran).toHaveLength(asked.length), patience);

    expect(ran.toSorted()).toEqual(asked.toSorted());
    await Promise.all(engines.map((engine) => engine[Symbol.asyncDispose]()));
  });

  it('runs as many sessions at a time as it was told', async () => {
    const memory = memoryQueue();
    const engine = makeOn(memory, { concurrency: 2 });
    const release = Promise.withResolvers<void>();
    const ran: string[] = [];
    for (const sessionId of ['one', 'two', 'three']) await engine.submit(sessionId);

    await engine.serve(async (sessionId) => {
      ran.push(sessionId);
      await release.promise;
    });
    await vi.waitFor(() => expect(ran).toHaveLength(2), patience);
    const left = [...memory.waiting.keys()];
    release.resolve();
    await vi.waitFor(() => expect(ran).toHaveLength(3), patience);

    expect(left).toEqual(['three']);
    await engine[Symbol.asyncDispose]();
  });

  it('looks for the asks of others at its interval, and at once for its own', async () => {
    const [often, seldom] = [memoryQueue(), memoryQueue()];
    const ran: string[] = [];
    const work = async (sessionId: string) => void ran.push(sessionId);
    const engines = [makeOn(often), makeOn(seldom, { pollEveryMs: 60_000 })];
    for (const engine of engines) await engine.serve(work);
    await new Promise((resolve) => setTimeout(resolve, 5)); // both have found nothing

    await often.queue.put({ sessionId: 'one', failures: 0 }, 0);
    await seldom.queue.put({ sessionId: 'two', failures: 0 }, 0);
    await vi.waitFor(() => expect(ran).toEqual(['one']), patience);
    await engines[1]!.submit('three');
    await vi.waitFor(() => expect(ran).toHaveLength(3), patience);

    expect(ran.toSorted()).toEqual(['one', 'three', 'two']);
    await Promise.all(engines.map((engine) => engine[Symbol.asyncDispose]()));
  });

  it('runs what a run asks for', async () => {
    const engine = makeOn(memoryQueue());
    const ran = Promise.withResolvers<string>();
    await engine.serve(async (sessionId) => {
      if (sessionId === 'one') await engine.submit('two');
      else ran.resolve(sessionId);
    });

    await engine.submit('one');

    await expect(ran.promise).resolves.toBe('two');
    await engine[Symbol.asyncDispose]();
  });

  it('says that a session is being worked on while it is, and no longer', async () => {
    const memory = memoryQueue();
    const engine = makeOn(memory);
    const release = Promise.withResolvers<void>();
    await engine.serve(() => release.promise);
    await engine.submit('one');
    await vi.waitFor(() => expect(memory.state.kept.length).toBeGreaterThan(2), patience);

    release.resolve();
    await vi.waitFor(() => expect(memory.taken.size).toBe(0), patience);
    await new Promise((resolve) => setImmediate(resolve)); // a last call may be under way
    memory.state.kept.length = 0;
    await new Promise((resolve) => setTimeout(resolve, 10));

    expect(memory.state.kept).toEqual([]);
    await engine[Symbol.asyncDispose]();
  });

  it('puts back a session that it is running already, because its ask was given away', async () => {
    const memory = memoryQueue();
    const engine = makeOn(memory, { onError: () => undefined });
    const release = Promise.withResolvers<void>();
    const ran: string[] = [];
    await engine.serve(async (sessionId) => {
      ran.push(sessionId);
      await release.promise;
    });
    await engine.submit('one');
    await vi.waitFor(() => expect(ran).toEqual(['one']), patience);

    memory.taken.clear();
    await engine.submit('one');
    await vi.waitFor(() => expect([memory.waiting.size, memory.taken.size]).toEqual([1, 0]), patience);
    const during = [...ran];
    release.resolve();
    await vi.waitFor(() => expect(ran).toEqual(['one', 'one']), patience);

    expect(during).toEqual(['one']);
    await engine[Symbol.asyncDispose]();
  });

  it('puts back what it is just taking when the last one leaves', async () => {
    const memory = memoryQueue();
    const [taking, taken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = {
      ...memory.queue,
      take: async (most: number) => {
        taking.resolve();
        await taken.promise;
        return await memory.queue.take(most);
      },
    };
    const engine = makeOn({ ...memory, queue: slow });
    const serving = await engine.serve(async () => undefined);
    await engine.submit('one');
    await taking.promise;

    const leaving = serving[Symbol.asyncDispose]();
    taken.resolve();
    await leaving;

    expect([[...memory.waiting.keys()], memory.taken.size]).toEqual([['one'], 0]);
    await engine[Symbol.asyncDispose]();
  });

  it('keeps the number of rejections with the ask, for whoever takes it next', async () => {
    const memory = memoryQueue();
    const errors: unknown[] = [];
    const engine = makeOn(memory, {
      retryDelay: 60_000,
      maxRetryDelay: 60_000,
      onError: (error, sessionId) => void errors.push(sessionId, error),
    });
    const error = new Error('not yet');
    await engine.serve(() => Promise.reject(error));

    await memory.queue.put({ sessionId: 'one', failures: 3 }, 0);
    await vi.waitFor(() => expect(memory.waiting.get('one')?.failures).toBe(4), patience);

    expect(errors).toEqual(['one', error]);
    await engine[Symbol.asyncDispose]();
  });
});

describe('QueueEngine, when the queue fails', () => {
  it('rejects, opens it again with the next use, and closes it once', async () => {
    const memory = memoryQueue();
    const open = vi.fn(async () => memory.queue).mockRejectedValueOnce(new Error('away'));
    const engine = makeOn(memory, { open });

    await expect(engine.submit('one')).rejects.toThrow('away');
    await engine.submit('one');
    await engine.submit('two');
    await Promise.all([engine[Symbol.asyncDispose](), engine[Symbol.asyncDispose]()]);

    expect([open.mock.calls.length, memory.state.closed]).toEqual([2, 1]);
  });

  it('is closed without having been opened, and when opening fails', async () => {
    const failing = makeOn(memoryQueue(), { open: () => Promise.reject(new Error('away')) });
    const outcome = failing.submit('one').catch(String);

    await failing[Symbol.asyncDispose]();
    await makeOn(memoryQueue())[Symbol.asyncDispose]();

    expect(await outcome).toBe('Error: away');
  });

  it('refuses what was asked while it was opening, once it is closed', async () => {
    const memory = memoryQueue();
    const engine = makeOn(memory);

    const code = codeOf(engine.submit('one'));
    await engine[Symbol.asyncDispose]();

    expect([await code, memory.state.closed]).toEqual(['SESSION_CLOSED', 1]);
  });

  it('reports the first of a row of errors, and goes on when the queue is back', async () => {
    const memory = memoryQueue();
    const errors: unknown[] = [];
    const ran: string[] = [];
    const engine = makeOn(memory, { onError: (error, sessionId) => void errors.push(sessionId, String(error)) });
    await engine.serve(async (sessionId) => void ran.push(sessionId));
    memory.state.failWith = new Error('away');
    await vi.waitFor(() => expect(errors).toHaveLength(2), patience);
    await new Promise((resolve) => setTimeout(resolve, 10));

    delete memory.state.failWith;
    await engine.submit('one');
    await vi.waitFor(() => expect(ran).toEqual(['one']), patience);

    expect(errors).toEqual(['', 'Error: away']);
    await engine[Symbol.asyncDispose]();
  });

  it.each([
    ['done', async () => undefined],
    ['to be put back', () => Promise.reject(new Error('not yet'))],
  ])('leaves to the queue what was %s meanwhile, with a warning when nobody listens', async (_what, end) => {
    const memory = memoryQueue();
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const engine = makeOn(memory);
    await engine.serve(async () => {
      memory.state.failWith = new Error('away');
      await end();
    });

    await engine.submit('one');
    await vi.waitFor(() => expect(warned).toHaveBeenCalledWith('away', 'RunEngineWarning'), patience);
    await engine[Symbol.asyncDispose]();

    expect([...memory.taken.keys()]).toEqual(['one']);
    warned.mockRestore();
  });

  it('reports that it cannot say what is being worked on', async () => {
    const memory = memoryQueue();
    const failed = Promise.withResolvers<unknown>();
    const queue = { ...memory.queue, keep: () => Promise.reject(new Error('away')) };
    const engine = makeOn({ ...memory, queue }, { onError: failed.resolve });
    const release = Promise.withResolvers<void>();
    await engine.serve(() => release.promise);

    await engine.submit('one');
    const error = await failed.promise;
    release.resolve();

    expect(String(error)).toBe('Error: away');
    await engine[Symbol.asyncDispose]();
  });

  it('refuses what is no id and no work', async () => {
    const engine = makeOn(memoryQueue());

    await expect(engine.submit(7 as never)).rejects.toThrow('submit takes the id of a session');
    await expect(engine.serve({} as never)).rejects.toThrow('serve takes a function');
  });
});
