import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';

/** Bytes; the layout is SQLite's (sqlite.org/fileformat2.html#walformat). */
const LOG_HEADER = 32;
const FRAME_HEADER = 24;
/** SQLite moves the log's pages into the file after 1000 of them, and overwrites it from its beginning. */
const MOST_FRAMES = 1_100;
/** The first extension, in frames; each further one is twice as large, up to the largest. */
const FIRST_ROOM = 64;
const LARGEST_ROOM = 256;
/** With fewer free frames the log is extended. */
const LEAST_ROOM = 32;
/** Frames of a typical write, in addition to the pages of its bytes. A larger write is only slower. */
const FRAMES_A_WRITE = 4;

/**
 * Keeps zeros at the end of SQLite's write-ahead log, which SQLite does not read as frames: a commit then overwrites bytes the file has
 * already, and its flush need not make a change of the file's size durable. That halves the cost of a flush.
 */
export class WalRoom {
  readonly #path: string;
  readonly #frame: number;
  #file: number | undefined;
  /** Free frames at the last check, less those written since by this connection. */
  #left = 0;
  #next = FIRST_ROOM;

  /** `path` of the log, `pageSize` of the database in bytes. Opens nothing yet. */
  constructor(path: string, pageSize: number) {
    this.#path = path;
    this.#frame = FRAME_HEADER + pageSize;
  }

  /**
   * Extends the log when the room may not suffice for so many writes; checking each time would slow each flush. Only inside a write
   * transaction: nobody else writes to the log then. Never fails: room only saves time.
   */
  make(writes: number): void {
    const frames = writes * FRAMES_A_WRITE;
    this.#left -= frames;
    if (this.#left >= 0) return;
    try {
      this.#file ??= openSync(this.#path, 'r+');
      this.#left = this.#roomIn(this.#file) - frames;
    } catch {
      this.#left = Number.POSITIVE_INFINITY; // a full disk, or no log: commits go on as SQLite makes them
    }
  }

  /** Bytes that a write has put into the log. */
  spend(bytes: number): void {
    this.#left -= bytes / this.#frame;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#left = Number.POSITIVE_INFINITY;
  }

  /** Number of free frames, at least; extends the log when there are few. */
  #roomIn(file: number): number {
    const { size } = fstatSync(file);
    const frames = Math.max(0, Math.floor((size - LOG_HEADER) / this.#frame));
    if (frames >= MOST_FRAMES) return MOST_FRAMES; // it will be written anew
    if (this.#isFree(file, frames - LEAST_ROOM)) return LEAST_ROOM;
    return this.#extend(file, { size, frames });
  }

  /** True when the frame was not written yet. Frames begin with a page's number, which is never 0. */
  #isFree(file: number, frame: number): boolean {
    if (frame < 0) return false;
    const page = new Uint8Array(4);
    return readSync(file, page, 0, 4, LOG_HEADER + frame * this.#frame) === 4 && page.every((byte) => byte === 0);
  }

  #extend(file: number, { size, frames }: { size: number; frames: number }): number {
    const end = LOG_HEADER + Math.min(MOST_FRAMES, frames + this.#next) * this.#frame;
    writeSync(file, new Uint8Array(end - size), 0, end - size, size);
    const made = this.#next;
    this.#next = Math.min(LARGEST_ROOM, 2 * made);
    return made;
  }
}
