import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A time of day that jumps when it is told to, for the processes that are started with `env`. */
export class FakeTime {
  readonly #file: string;
  readonly #library: string;

  /** Keeps the time in a file in `folder`. */
  constructor(folder: string) {
    this.#file = join(folder, 'time');
    this.#library = execFileSync('faketime', ['-m', '-f', '+0', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' }).trim();
    this.jump('+0');
  }

  /** An offset such as `-400d`, or a moment such as `@2038-01-19 03:14:00`, from which time goes on. */
  jump(to: string): void {
    writeFileSync(this.#file, `${to}\n`);
  }

  /** Only the time of day is false: as when somebody sets the clock, the even clock of the machine runs on. */
  get env(): Record<string, string> {
    return {
      LD_PRELOAD: this.#library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      TZ: 'UTC',
    };
  }

  /** Removes what the library leaves behind when a process is killed. */
  static tidy(pid: number | undefined): void {
    for (const name of readdirSync('/dev/shm')) {
      if (name.includes('faketime') && name.endsWith(`_${pid}`)) rmSync(join('/dev/shm', name), { force: true });
    }
  }
}
