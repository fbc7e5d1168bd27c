import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Where a session file lies, and what makes its store slow for a while. */
export interface SlowPlace {
  readonly path: string;
  /** Resolves when the store is slow; it is so for the time of the place. */
  begin(): Promise<void>;
}

/** Folders whose stores can be made slow. Closed by `close`. */
export class SlowPlaces {
  readonly #folder = mkdtempSync(join(tmpdir(), 'slow-store-'));
  readonly #mounts: string[] = [];
  readonly #held = new Map<string, () => void>();
  readonly #holder: ChildProcess;
  #made = 0;

  constructor() {
    const file = fileURLToPath(new URL('lock-holder.ts', import.meta.url));
    this.#holder = spawn(process.execPath, ['--no-warnings', file], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: this.#holder.stdout! });
    lines.on('line', (line) => {
      if (line.startsWith('held ')) this.#held.get(line.slice(5))?.();
    });
  }

  /** Another process holds the write lock for so long. */
  locked(ms: number): SlowPlace {
    const path = join(this.#newFolder(), 'sessions.db');
    return {
      path,
      begin: () =>
        new Promise((resolve) => {
          this.#held.set(path, resolve);
          this.#holder.stdin!.write(`${path} ${ms}\n`);
        }),
    };
  }

  /** The disk has no free byte for so long; a string says why there is no such place. */
  full(ms: number): SlowPlace | string {
    const folder = this.#newFolder();
    const { status, stderr, error } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'none', folder], {
      encoding: 'utf8',
    });
    if (status !== 0) return error?.message ?? stderr.trim();
    this.#mounts.push(folder);
    const ballast = join(folder, 'ballast');
    return {
      path: join(folder, 'sessions.db'),
      begin: async () => {
        fill(ballast);
        setTimeout(() => rmSync(ballast), ms);
      },
    };
  }

  /** A file elsewhere, for what tools do. */
  effects(): string {
    return join(this.#newFolder(), 'effects');
  }

  close(): void {
    this.#holder.kill();
    for (const mount of this.#mounts) spawnSync('umount', ['-l', mount]);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #newFolder(): string {
    const folder = join(this.#folder, String((this.#made += 1)));
    mkdirSync(folder);
    return folder;
  }
}

/** Writes until there is no room for a byte. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  for (let bytes = 65_536; bytes >= 1; ) {
    try {
      writeSync(file, new Uint8Array(bytes));
    } catch {
      bytes = Math.floor(bytes / 2);
    }
  }
  closeSync(file);
}
