import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { WireRecording } from './wire-recording.ts';

const OWNER_ONLY = { file: 0o600, directory: 0o700 } as const;
const DIGITS = 4;

/** A directory of recordings, `0001.json` and so on: existing files are never overwritten, not even by two writers at once. */
export class RecordingFolder {
  readonly #directory: string;
  #next: Promise<number> | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Reserves the number of the next recording, in the order of the calls. */
  take(): Promise<number> {
    const number = this.#next ?? this.#first();
    this.#next = number.then((taken) => taken + 1);
    this.#next.catch(() => undefined);
    return number;
  }

  /** Writes a file completely or not at all, readable by its owner only. If another writer has used the number, the next one is used. */
  async write(recording: WireRecording, number: number): Promise<void> {
    const temporary = join(this.#directory, `.${randomUUID()}.tmp`);
    const file = await open(temporary, 'wx', OWNER_ONLY.file);
    try {
      try {
        await file.writeFile(`${JSON.stringify(recording, null, 2)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await this.#place(temporary, number);
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async #place(temporary: string, number: number): Promise<void> {
    for (let free = number; ; free++) {
      try {
        await link(temporary, join(this.#directory, `${String(free).padStart(DIGITS, '0')}.json`));
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // safe: of the file system
      }
    }
  }

  async #first(): Promise<number> {
    await mkdir(this.#directory, { recursive: true, mode: OWNER_ONLY.directory });
    const numbers = (await readdir(this.#directory)).map((name) => Number(/^(\d+)\.json$/.exec(name)?.[1] ?? 0));
    return Math.max(0, ...numbers) + 1;
  }
}
