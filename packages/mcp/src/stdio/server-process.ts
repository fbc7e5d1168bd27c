import type { Socket } from 'node:net';
import { killTree, type StartedCommand, startWatched } from '@x/sandbox/internal';
import { LineReader } from './line-reader.ts';
import { Tail } from './tail.ts';

/** A program to start, and what it may write. */
export interface ServerProcessSetup {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly inputs?: readonly Uint8Array[] | undefined;
  readonly maxLineBytes: number;
  /** Milliseconds of each step of its end. */
  readonly shutdownMs: number;
  readonly onLine: (line: string) => void;
  /** Called once, when it has ended or is about to be ended for a fault; not after `close`. */
  readonly onEnd: (reason: string) => void;
  /** Called once with its exit code, in any case. */
  readonly onExit: (code: number | null) => void;
}

const STDERR_BYTES = 4_096;
/** Milliseconds in which what a process has written before its end is read. */
const LAST_OUTPUT_MS = 100;

/** A server that speaks in lines over its standard input and output, in a process group of its own. */
export class ServerProcess {
  readonly #setup: ServerProcessSetup;
  readonly #stderr = new Tail(STDERR_BYTES);
  readonly #gone = Promise.withResolvers<void>();
  #started: StartedCommand | undefined;
  #hasEnded = false;
  #closing: Promise<void> | undefined;

  constructor(setup: ServerProcessSetup) {
    this.#setup = setup;
  }

  /** The last that it has written to its standard error. */
  get stderr(): string {
    return this.#stderr.text;
  }

  /** Resolves when the program runs. @throws when it cannot be started */
  async start(): Promise<void> {
    const started = startWatched(this.#setup.argv, { ...this.#setup, hasInput: true });
    this.#started = started;
    const { child, watched } = started;
    this.#listen(started);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        watched.ended();
        this.#hasEnded = true;
        this.#setup.onExit(127);
        this.#gone.resolve();
        reject(error);
      });
    });
    // What waits for an answer keeps Node alive by its timer; a server that nobody asks does not.
    for (const pipe of [child.stdin, child.stdout, child.stderr]) (pipe as Socket | null)?.unref(); // safe: as all pipes of a child
    child.unref();
  }

  /** Sends a line; a server that does not read is ended. */
  write(line: string): void {
    const input = this.#started?.child.stdin;
    if (this.#hasEnded || !input?.writable) throw new Error('the process has ended');
    input.write(`${line}\n`);
    if (input.writableLength > 2 * this.#setup.maxLineBytes) this.#fault('it does not read what it is sent');
  }

  /** Ends it as the protocol says: closes its input, then SIGTERM, then SIGKILL, each to the whole group. Resolves when it is gone. */
  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    const { child, mark } = this.#started ?? {};
    this.#hasEnded = true;
    if (!child?.pid || !mark) return;
    child.stdin?.end();
    if (await this.#isGoneWithin(this.#setup.shutdownMs)) return;
    terminateGroup(child.pid);
    if (await this.#isGoneWithin(this.#setup.shutdownMs)) return;
    killTree(child.pid, mark);
    await this.#isGoneWithin(this.#setup.shutdownMs);
  }

  #listen({ child, mark, watched }: StartedCommand): void {
    const { maxLineBytes, onLine, onExit } = this.#setup;
    const lines = new LineReader(maxLineBytes, {
      onLine: (line) => {
        if (!this.#hasEnded) onLine(line);
      },
      onTooLong: () => this.#fault(`it sent a message of more than ${maxLineBytes} bytes`),
    });
    child.stdout.on('data', (chunk: Uint8Array) => lines.push(chunk));
    child.stderr.on('data', (chunk: Uint8Array) => this.#stderr.push(chunk));
    for (const pipe of [child.stdout, child.stderr]) pipe.on('error', () => undefined); // its 'exit' says all there is to know
    child.once('exit', (code, signal) => {
      if (child.pid !== undefined) killTree(child.pid, mark); // the rest of its group
      let timer: NodeJS.Timeout | undefined;
      const end = () => {
        clearTimeout(timer);
        child.off('close', end);
        watched.ended();
        this.#finish(signal ? `the process was ended by ${signal}` : `the process ended with code ${code}`);
        onExit(code);
        this.#gone.resolve();
      };
      timer = setTimeout(end, LAST_OUTPUT_MS);
      child.once('close', end);
    });
  }

  #fault(reason: string): void {
    this.#finish(reason);
    void this.close(); // never rejects
  }

  #finish(reason: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#setup.onEnd(reason);
  }

  async #isGoneWithin(waitMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), waitMs);
    });
    const isGone = await Promise.race([this.#gone.promise.then(() => true), late]);
    clearTimeout(timer);
    return isGone;
  }
}

/** Asks a process group to end. */
function terminateGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGTERM');
  } catch {
    // It has just ended, or another user owns it: SIGKILL follows.
  }
}
