import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Answer, Ask } from './stale-writer.ts';

/** Processes that write to one file, each as it is told. Closed by `close`. */
export class Writers {
  readonly #children: readonly ChildProcess[];
  readonly #waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (reason: Error) => void }>();
  #asked = 0;
  #closing = false;

  constructor(path: string, { count, comparing }: { readonly count: number; readonly comparing: boolean }) {
    const source = fileURLToPath(new URL('stale-writer.ts', import.meta.url));
    this.#children = Array.from({ length: count }, () => {
      const child = fork(source, [path, comparing ? 'compare' : 'accept'], { execArgv: ['--conditions=@x/source'] });
      child.on('message', (answer) => this.#settle(answer as Answer)); // safe: sent by stale-writer.ts
      child.on('exit', (code) => this.#fail(code));
      return child;
    });
  }

  get count(): number {
    return this.#children.length;
  }

  /** Has one of them do something. */
  ask(writer: number, kind: Ask['kind'], sessionId: string, times = 1): Promise<Answer> {
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#children[writer]?.send({ id, kind, sessionId, times } satisfies Ask);
    });
  }

  /** Lets them go; resolves when they have ended. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all(
      this.#children.map(async (child) => {
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.disconnect();
        await ended;
      }),
    );
  }

  #settle(answer: Answer): void {
    this.#waiting.get(answer.id)?.resolve(answer);
    this.#waiting.delete(answer.id);
  }

  #fail(code: number | null): void {
    if (this.#closing) return;
    for (const { reject } of this.#waiting.values()) reject(new Error(`A writer ended with ${code}`));
    this.#waiting.clear();
  }
}
