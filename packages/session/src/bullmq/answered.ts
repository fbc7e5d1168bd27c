import { deadline, unlessAborted } from '@x/core/internal';
import { redisError } from './redis-error.ts';

const NEVER: AbortSignal = new AbortController().signal;

/** Does something with Redis; without an answer for `patienceMs`, it counts as failed. @throws AgentError `ENGINE_FAILED` */
export async function answered<T>(work: () => Promise<T>, patienceMs: number): Promise<T> {
  const patience = deadline(NEVER, patienceMs);
  try {
    return await unlessAborted<T>(work, patience.signal);
  } catch (cause) {
    throw redisError(patience.expired ? new Error(`no answer for ${patienceMs} ms`) : cause);
  } finally {
    patience.clear();
  }
}
