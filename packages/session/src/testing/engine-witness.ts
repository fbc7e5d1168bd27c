import type { RunEngine, SessionWork } from '../engine/run-engine.ts';
import { broken } from './broken.ts';

/** One promise of an engine, and its check. */
export type EngineCase = readonly [string, (engine: RunEngine) => Promise<void>];

/** Records the calls of an engine: sessions started and ended, in order, and sessions that ran twice at once. */
export class EngineWitness {
  readonly started: string[] = [];
  readonly ended: string[] = [];
  readonly overlapped: string[] = [];
  readonly #running = new Set<string>();
  readonly #waiting = new Set<() => void>();

  /** Work that notes its beginning and its end, and does `act` between them. */
  work(act: SessionWork = async () => undefined): SessionWork {
    return async (sessionId, signal) => {
      if (this.#running.has(sessionId)) this.overlapped.push(sessionId);
      this.#running.add(sessionId);
      this.started.push(sessionId);
      this.#tell();
      try {
        await act(sessionId, signal);
      } finally {
        this.#running.delete(sessionId);
        this.ended.push(sessionId);
        this.#tell();
      }
    };
  }

  /** Resolves as soon as `holds` returns true; checked at each beginning and end. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  /** Resolves when the session has ended `times` times. */
  async untilEnded(sessionId: string, times = 1): Promise<void> {
    await this.until(() => timesIn(this.ended, sessionId) >= times);
  }

  #tell(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

export function timesIn(list: readonly string[], sessionId: string): number {
  return list.filter((one) => one === sessionId).length;
}

/** Settles when the signal is aborted; then it rejects. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** Waits long enough for a broken engine to show it. */
export async function moment(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20));
}

/** @throws AgentError `CONTRACT_BROKEN` when the two are not the same JSON */
export function expectSame(actual: unknown, expected: unknown, what: string): void {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (one === other) return;
  throw broken(`${what}: expected ${other}, got ${one}`);
}
