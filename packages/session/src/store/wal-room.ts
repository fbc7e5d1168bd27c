import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';

/** Bytes; the layout is SQLite's (sqlite.org/fileformat2.html#walformat). */
const LOG_HEADER = 32;
const FRAME_HEADER = 24;
/** SQLite moves the log's pages into the file after 1000 of them, and writes it anew from its beginning. */
const MOST_FRAMES = 1_100;
/** The first room, in frames; each further one is twice as large, up to the largest. */
const FIRST_ROOM = 64;
const LARGEST_ROOM = 256;

/**
 * Keeps zeros at the end of SQLite's write-ahead log, which SQLite takes for no frames: a commit then writes over bytes the file has
 * already, and its flush need not make a change of the file's size durable as well. That halves what a flush costs.
 */
export class WalRoom {
  readonly #path: string;
  readonly #frame: number;
  #file: number | undefined;
  /** Of the file when it was looked at last; larger again when a commit has found no room. */
  #size = -1;
  #next = FIRST_ROOM;

  /** `path` of the log, `pageSize` of the database in bytes. Opens nothing yet. */
  constructor(path: string, pageSize: number) {
    this.#path = path;
    this.#frame = FRAME_HEADER + pageSize;
  }

  /** Makes room when there is none. Only inside a write transaction: nobody else writes to the log then. Never fails: room is a help only. */
  make(): void {
    if (this.#next === 0) return;
    try {
      this.#file ??= openSync(this.#path, 'r+');
      const { size } = fstatSync(this.#file);
      if (size === this.#size) return;
      this.#size = this.#isRoom(this.#file, size) ? size : this.#extend(this.#file, size);
    } catch {
      this.#next = 0; // a full disk, or no log: commits go on as SQLite makes them
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#next = 0;
  }

  /** Whether what stands last is no frame: another process has made room. Frames begin with a page's number, which is never 0. */
  #isRoom(file: number, size: number): boolean {
    if (size < LOG_HEADER + this.#frame || (size - LOG_HEADER) % this.#frame !== 0) return false;
    const page = new Uint8Array(4);
    return readSync(file, page, 0, 4, size - this.#frame) === 4 && page.every((byte) => byte === 0);
  }

  #extend(file: number, size: number): number {
    const frames = Math.max(0, Math.floor((size - LOG_HEADER) / this.#frame));
    if (frames >= MOST_FRAMES) return size;
    const end = LOG_HEADER + Math.min(MOST_FRAMES, frames + this.#next) * this.#frame;
    const written = writeSync(file, new Uint8Array(end - size), 0, end - size, size);
    this.#next = Math.min(LARGEST_ROOM, 2 * this.#next);
    return size + written;
  }
}
