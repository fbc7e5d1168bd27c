import type { ChildProcessByStdio } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { ProcessExit, ProcessOutput } from '@x/core';
import type { WatchedCommand } from './end-with-host.ts';
import { killGroup, killHolders, killTree } from './kill-tree.ts';
import { OutputQueue } from './output-queue.ts';
import { outputsOf } from './process-table.ts';

/** The child with its pipes; without standard input when none is given. */
export type ShellChild = ChildProcessByStdio<Writable | null, Readable, Readable>;

/** A started command, and the means to find it again. */
export interface StartedCommand {
  readonly child: ShellChild;
  /** In its environment, and in that of all processes it starts. */
  readonly mark: string;
  readonly watched: WatchedCommand;
}

/** The party that ends a command, and one that sees its output without reading it. */
interface Listening {
  readonly signal: AbortSignal;
  readonly onOutput?: ((piece: ProcessOutput) => void) | undefined;
}

const MAX_WAITING_BYTES = 256 * 1024;
/** More than dead writers can have left in the pipes. */
const MAX_LAST_BYTES = 4 * 1024 * 1024;
const LAST_OUTPUT_MS = 50;

/** A started command from its first byte to the end of its tree; iterate it once to read it. */
export class RunningProcess implements AsyncIterable<ProcessOutput> {
  readonly exit: Promise<ProcessExit>;
  readonly #child: ShellChild;
  readonly #signal: AbortSignal;
  readonly #onOutput: Listening['onOutput'];
  readonly #queue: OutputQueue;
  readonly #outputs: readonly string[];
  readonly #settle: (exit: ProcessExit) => void;
  readonly #mark: string;
  readonly #watched: WatchedCommand;
  #exited: ProcessExit | undefined;
  #openPipes = 2;
  #ending = false;
  #ended = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    { child, mark, watched }: StartedCommand,
    { signal, onOutput }: Listening,
    reasonOf: (error: Error) => string,
  ) {
    const { promise, resolve } = Promise.withResolvers<ProcessExit>();
    this.exit = promise;
    this.#settle = resolve;
    this.#child = child;
    this.#signal = signal;
    this.#onOutput = onOutput;
    this.#queue = new OutputQueue({
      maxBytes: MAX_WAITING_BYTES,
      onFull: () => this.#flow('pause'),
      onRoom: () => this.#flow('resume'),
    });
    this.#outputs = child.pid === undefined ? [] : outputsOf(child.pid);
    this.#mark = mark;
    this.#watched = watched;
    this.#listen(reasonOf);
    this.#keepAlive(false);
  }

  /** Ends the whole tree immediately; earlier output can still be read. */
  kill(): void {
    if (this.#ended) return;
    if (!this.#exited && this.#child.pid !== undefined) killTree(this.#child.pid, this.#mark);
    this.#end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ProcessOutput, void, void> {
    try {
      for (;;) {
        this.#keepAlive(true);
        const chunk = await this.#queue.take();
        this.#keepAlive(false);
        if (!chunk) return;
        yield chunk;
      }
    } finally {
      this.kill();
      this.#queue.clear();
      await this.exit;
    }
  }

  #listen(reasonOf: (error: Error) => string): void {
    const { stdout, stderr } = this.#child;
    for (const [channel, pipe] of [
      ['stdout', stdout],
      ['stderr', stderr],
    ] as const) {
      pipe.on('data', (bytes: Uint8Array) => this.#receive({ channel, bytes }));
      pipe.on('error', () => undefined); // its 'close' follows, and tells all there is to know
      pipe.once('close', () => {
        this.#openPipes -= 1;
        this.#settleWhenDone();
      });
    }
    this.#child.once('error', (error) => {
      this.#queue.push({ channel: 'stderr', bytes: new TextEncoder().encode(reasonOf(error)) });
      this.#exited ??= { code: 127, signal: null };
      this.#end();
    });
    this.#child.once('exit', (code, signal) => {
      if (this.#child.pid !== undefined) killGroup(this.#child.pid);
      this.#exited = { code, signal };
      this.#end();
    });
    this.#signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  readonly #onAbort = (): void => this.kill();

  #receive(chunk: ProcessOutput): void {
    this.#queue.push(chunk);
    this.#onOutput?.(chunk);
    if (this.#ending && this.#queue.bytes > MAX_LAST_BYTES) this.#closePipes();
  }

  /** Reads the last output without waiting for the reader, so that the end does not depend on one. */
  #end(): void {
    if (!this.#ending) {
      this.#ending = true;
      this.#keepAlive(true);
      this.#timer = setTimeout(() => {
        killHolders(this.#outputs, this.#mark);
        this.#timer = setTimeout(() => this.#closePipes(), LAST_OUTPUT_MS);
      }, LAST_OUTPUT_MS);
    }
    this.#flow('resume');
    this.#settleWhenDone();
  }

  #settleWhenDone(): void {
    if (this.#ended || !this.#exited || this.#openPipes > 0) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#watched.ended();
    this.#queue.end();
    this.#settle(this.#exited);
  }

  #closePipes(): void {
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }

  #flow(direction: 'pause' | 'resume'): void {
    if (direction === 'pause' && this.#ending) return;
    this.#child.stdout[direction]();
    this.#child.stderr[direction]();
  }

  #keepAlive(alive: boolean): void {
    const act = alive || this.#ending ? 'ref' : 'unref';
    this.#child[act]();
    // Pipes of a child are sockets, which the types do not say.
    for (const pipe of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) {
      // One that is closed would keep a listener for each call.
      if (pipe && !pipe.destroyed) (pipe as Socket)[act]?.();
    }
  }
}
