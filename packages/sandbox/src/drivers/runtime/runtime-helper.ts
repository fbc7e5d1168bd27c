import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HELPER } from './helper-script.ts';

/** Milliseconds after the last command until the helper is ended; the next command starts another one. */
const IDLE_MS = 60_000;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Directories of one helper, which its commands may write. Removed with it. */
export interface HelperPlaces {
  readonly home: string;
  readonly temporary: string;
}

/** A process that holds the runtime for one sandbox. It ends with this process, or when it has had nothing to do for a minute. */
export class RuntimeHelper {
  readonly places: HelperPlaces;
  readonly #base: string;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  readonly #begun = Promise.withResolvers<void>();
  #asked = 0;
  #users = 0;
  #idle: NodeJS.Timeout | undefined;
  #hasEnded = false;

  /** @param runtime The URL of the runtime. */
  constructor(runtime: string, cwd: string) {
    this.#base = realpathSync(mkdtempSync(join(tmpdir(), 'agent-sdk-')));
    this.places = { home: join(this.#base, 'home'), temporary: join(this.#base, 'tmp') };
    for (const place of Object.values(this.places)) mkdirSync(place, { mode: 0o700 });
    const env = { PATH: SYSTEM_PATH, HOME: this.places.home, CLAUDE_CODE_TMPDIR: this.places.temporary };
    const { spawn } = process.getBuiltinModule('node:child_process'); // few programs have this driver
    this.#child = spawn(process.execPath, ['--input-type=module', '--eval', HELPER, runtime], {
      cwd,
      env,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.on('message', (message) => this.#hear(message as Answer)); // safe: it is our own program
    this.#child.once('error', (error) => this.#ended(error));
    this.#child.once('exit', () => this.#ended(new Error('its helper has ended')));
    this.#begun.promise.catch(() => undefined); // `ask` tells it
    this.#rest();
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Keeps the helper until the returned function is called. */
  hold(): () => void {
    this.#users += 1;
    clearTimeout(this.#idle);
    this.#child.channel?.ref();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#users -= 1;
      if (this.#users === 0) this.#rest();
    };
  }

  /** @throws Error of the runtime, or when the helper has ended */
  async ask(job: string, facts: object): Promise<unknown> {
    const release = this.hold();
    try {
      await this.#begun.promise;
      if (this.#hasEnded) throw new Error('its helper has ended');
      const id = (this.#asked += 1);
      const answer = Promise.withResolvers<unknown>();
      this.#waiting.set(id, answer);
      this.#child.send({ id, job, ...facts });
      return await answer.promise;
    } finally {
      release();
    }
  }

  #hear({ ready, id = 0, value, error }: Answer): void {
    if (ready) this.#begun.resolve();
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(new Error(error));
  }

  #rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
    this.#idle = setTimeout(() => this.end(), IDLE_MS).unref();
  }

  /** Commands that are still under way lose their network, nothing else. */
  end(): void {
    if (this.#child.connected) this.#child.disconnect();
    this.#ended(new Error('its helper has ended'));
  }

  #ended(error: Error): void {
    this.#hasEnded = true;
    clearTimeout(this.#idle);
    this.#begun.reject(error);
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
    rmSync(this.#base, { recursive: true, force: true });
  }
}

interface Answer {
  readonly ready?: boolean;
  readonly id?: number;
  readonly value?: unknown;
  readonly error?: string;
}

const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';
