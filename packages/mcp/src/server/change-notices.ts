import type { McpToolSource } from './tool-source.ts';

/** Between two notices at least; changes in between are one notice at its end. */
const EVERY_MS = 100;

export const LIST_CHANGED: string = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });

/** Tells of changes of a source, however many there are, ten times a second at most. */
export class ChangeNotices {
  readonly #source: McpToolSource;
  readonly #tell: () => void;
  #leave: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(source: McpToolSource, tell: () => void) {
    this.#source = source;
    this.#tell = tell;
  }

  start(): void {
    this.#leave ??= this.#source.onChange(() => this.#changed());
  }

  stop(): void {
    this.#leave?.();
    this.#leave = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #changed(): void {
    if (this.#timer !== undefined) return;
    const waitMs = Math.max(0, this.#toldAt + EVERY_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#toldAt = performance.now();
      this.#tell();
    }, waitMs);
  }
}
