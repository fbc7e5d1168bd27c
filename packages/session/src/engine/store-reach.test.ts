import { AgentError, SessionError } from '@x/core';
import { describe, expect, it, vi } from 'vitest';
import type { OwnerEvent } from '../log/owner-events.ts';
import { memoryStore } from '../store/memory-store.ts';
import { StoreReach } from './store-reach.ts';

const unanswered = new AgentError('No answer.', { code: 'STORE_FAILED', statusCode: 503 });
const fenced = new SessionError('Taken.', { code: 'SESSION_FENCED' });

/** A run that loses its session with this error and then waits for its store; `answer` lets the store answer. */
function losing(error: unknown, signal = new AbortController().signal) {
  const [back, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const memory = memoryStore();
  const store = { ...memory, list: async () => (await back.promise, await memory.list()) };
  const leaving = new AbortController();
  const reach = new StoreReach(store, leaving.signal);
  const told: OwnerEvent[] = [];
  const run = reach.unlessLost('s1', { signal, onOwner: (event) => told.push(event) }, async (tell) => {
    tell({ type: 'lost', error });
    await closed.promise;
  });
  return { reach, run, told, answer: back.resolve, close: closed.resolve };
}

describe('StoreReach', () => {
  it('gives an ask back at once whose session was lost with the store, and all others until the store answers', async () => {
    const { reach, run, told, answer } = losing(unanswered);

    await expect(run).rejects.toMatchObject({ code: 'RUN_UNFINISHED', retryable: true });
    expect(told).toEqual([{ type: 'lost', error: unanswered }]);
    expect(() => reach.assertAnswers()).toThrow('No answer.');

    answer();
    await vi.waitFor(() => reach.assertAnswers(), { timeout: 45_000 });
  });

  it('waits for the end of a run whose session another owner has', async () => {
    const { reach, run, close } = losing(fenced);

    expect(() => reach.assertAnswers()).not.toThrow();
    close();
    await expect(run).resolves.toBeUndefined();
  });

  it('takes a session that is left for none that is lost', async () => {
    const { run, told, close } = losing(unanswered, AbortSignal.abort());

    close();
    await expect(run).resolves.toBeUndefined();
    expect(told).toEqual([]);
  });
});
