import { broken } from './broken.ts';

/** Awaits `promise`. @throws AgentError `CONTRACT_BROKEN` when it is not settled in time */
export async function inTime<T>(promise: Promise<T>, patienceMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(broken(`Not settled within ${patienceMs} ms`)), patienceMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
