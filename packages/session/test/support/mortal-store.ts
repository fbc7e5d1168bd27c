import { type EntryBody, memoryStore, type SessionStore } from '../../src/index.ts';
import { expiring } from './resumed.ts';

/** A store, and the same store for a process that ends as soon as `ends` says so: before or after that append is durable. */
export function mortal(ends: (bodies: readonly EntryBody[]) => 'before' | 'after' | undefined) {
  const inner = expiring(memoryStore());
  const gone = Promise.withResolvers<void>();
  let dead = false;
  const store: SessionStore = {
    ...inner,
    async append(sessionId, expected, bodies, consume) {
      const when = dead ? 'before' : ends(bodies);
      if (when === undefined) return await inner.append(sessionId, expected, bodies, consume);
      dead = true;
      if (when === 'after') await inner.append(sessionId, expected, bodies, consume);
      gone.resolve();
      return await new Promise<never>(() => undefined);
    },
  };
  return { inner, store, gone: gone.promise };
}
