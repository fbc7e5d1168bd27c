import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const isMeant = process.env['CI'] === 'true' || process.env['VERIFY_STRICT'] === '1';

/** True where a Redis can be started. Where CI has to have it, its absence is a failure and no reason to skip. */
export const hasRedis: boolean = isMeant || spawnSync('redis-server', ['--version']).status === 0;
/** For the names of tests. */
export const NEEDS_REDIS: string = hasRedis ? '' : ' (needs redis-server)';

const PATIENCE_MS = 20_000;

/** A Redis in a folder of its own, behind a socket, without a port; what it keeps is lost with it. */
export class RedisServer {
  readonly #folder: string;
  #process: ChildProcess | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async start(): Promise<RedisServer> {
    const server = new RedisServer(await mkdtemp('/tmp/redis-')); // the path of a socket has 107 bytes at most
    await server.restart();
    return server;
  }

  /** The path of the socket, which ioredis takes as a URL. */
  get url(): string {
    return join(this.#folder, 'redis.sock');
  }

  /** Starts it, empty, after a kill too. */
  async restart(): Promise<void> {
    const settings = ['--port', '0', '--unixsocket', this.url, '--save', '', '--appendonly', 'no'];
    this.#process = spawn('redis-server', settings, { cwd: this.#folder, stdio: 'ignore' });
    const until = performance.now() + PATIENCE_MS;
    while (!(await answers(this.url))) {
      if (performance.now() > until) throw new Error('redis-server does not start');
      await sleep(10);
    }
  }

  /** Kills it with -9. */
  async kill(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    if (!process || process.exitCode !== null || process.signalCode !== null) return;
    const closed = once(process, 'close');
    process.kill('SIGKILL');
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true });
  }
}

async function answers(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
