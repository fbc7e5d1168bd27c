import type { McpProgress } from '../port/connection.ts';

/** Lines that wait for a reader; older ones are dropped. */
const MOST_WAITING = 100;
const MOST_CHARACTERS = 1_000;

/** Hands progress over from a callback to a generator, a bounded number at a time. */
export class ProgressLines {
  #waiting: string[] = [];
  #wake: (() => void) | undefined;
  #isOver = false;

  readonly push = (progress: McpProgress): void => {
    this.#waiting.push(lineOf(progress));
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
    this.#wake?.();
  };

  /** The lines until `work` has settled. */
  async *until(work: Promise<unknown>): AsyncGenerator<string, void, void> {
    const end = () => {
      this.#isOver = true;
      this.#wake?.();
    };
    work.then(end, end);
    for (;;) {
      const line = this.#waiting.shift();
      if (line !== undefined) yield line;
      else if (this.#isOver) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

function lineOf({ progress, total, message }: McpProgress): string {
  const count = total === undefined ? `${progress}` : `${progress}/${total}`;
  const text = typeof message === 'string' && message !== '' ? `${count} ${message}` : count;
  return `${text.slice(0, MOST_CHARACTERS)}\n`;
}
