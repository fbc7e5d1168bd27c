import type { Unkept } from '../tree/entry.ts';
import type { Ledger } from './ledger.ts';

/** The room that all contents have together. When one has none, the oldest checkpoints are forgotten. */
export class ContentRoom {
  readonly #ledger: Ledger;
  readonly #maxBytes: number;
  #bytes: number;
  /** True while a look that finds no room for a content may be begun again, when older checkpoints were forgotten. */
  #mayForget = false;

  constructor(ledger: Ledger, maxBytes: number) {
    this.#ledger = ledger;
    this.#maxBytes = maxBytes;
    this.#bytes = ledger.contents.bytes();
  }

  /** Takes a content, or says why not. Within `begin` only. */
  keep(hash: string, content: Uint8Array): Unkept | undefined {
    const { contents } = this.#ledger;
    if (contents.has(hash)) return undefined;
    if (this.#bytes + content.length > this.#maxBytes) {
      if (this.#mayForget) throw new NoRoom(content.length);
      return 'quota';
    }
    contents.add(hash, content);
    this.#bytes += content.length;
    return undefined;
  }

  /** Begins a look again when there was no room, and forgetting old checkpoints has made some: a quarter, where that can be had. */
  begin<T>(look: () => T): T {
    const before = this.#bytes;
    try {
      this.#mayForget = true;
      return look();
    } catch (error) {
      this.#bytes = before;
      if (!(error instanceof NoRoom)) throw error;
      this.#mayForget = false;
      const left = this.#ledger.forgetOldest([this.#maxBytes * 0.75, this.#maxBytes - error.bytes]);
      return this.#again(look, left ?? before);
    } finally {
      this.#mayForget = false;
    }
  }

  #again<T>(look: () => T, bytes: number): T {
    this.#bytes = bytes;
    try {
      return look();
    } catch (error) {
      this.#bytes = bytes;
      throw error;
    }
  }
}

/** A content has no room; the look is begun again. */
class NoRoom extends Error {
  readonly bytes: number;

  constructor(bytes: number) {
    super('There is no room for a content');
    this.bytes = bytes;
  }
}
