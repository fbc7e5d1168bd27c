import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Names of the sockets; there is no TCP port. */
export const PORT = 5432;
const POOLER_PORT = 6432;
const PATIENCE_MS = 20_000;
/** It reads only its own folder, and has as many connections as two workers and a test need. */
const SETTINGS = ['listen_addresses=', 'max_connections=60', 'shared_buffers=16MB', 'log_min_messages=fatal'];

/** A Postgres server in a folder of its own, and a pooler in front of it; as the user `postgres` when this is root, whom Postgres refuses. Its programs are on the PATH of a suite. */
export class PostgresServer {
  readonly folder: string;
  /** Of the server. */
  readonly url: string;
  /** Of the pooler, in transaction mode. */
  readonly poolerUrl: string;
  readonly #settings: readonly string[];
  #server: ChildProcess | undefined;
  #pooler: ChildProcess | undefined;

  private constructor(folder: string, settings: readonly string[]) {
    this.folder = folder;
    this.url = urlOf(folder, PORT);
    this.poolerUrl = urlOf(folder, POOLER_PORT);
    this.#settings = settings;
  }

  /** `settings` of the server, such as `fsync=off`. */
  static async start(settings: readonly string[] = []): Promise<PostgresServer> {
    const folder = await mkdtemp('/tmp/postgres-verify-'); // the path of a socket has 107 bytes at most
    const server = new PostgresServer(folder, [...SETTINGS, ...settings]);
    await chmod(folder, 0o755);
    const user = ownUser();
    if (user) await chown(folder, user.uid, user.gid);
    const args = ['-D', join(folder, 'data'), '-A', 'trust', '-U', 'host', '-E', 'UTF8', '--no-locale', '--no-sync'];
    execFileSync(...asUser('initdb', args), { stdio: ['ignore', 'ignore', 'inherit'], cwd: folder });
    await server.restart();
    return server;
  }

  /** Starts it, after a kill too. */
  async restart(): Promise<void> {
    const { folder } = this;
    const args = ['-D', join(folder, 'data'), '-p', `${PORT}`, '-k', folder];
    const settings = this.#settings.flatMap((setting) => ['-c', setting]);
    const until = performance.now() + PATIENCE_MS;
    // Processes of a server that was killed need a moment to end.
    while (!(await this.#isReady())) {
      if (performance.now() > until) throw new Error('Postgres does not start');
      if (!this.#server || this.#server.exitCode !== null || this.#server.signalCode !== null)
        this.#server = started('postgres', [...args, ...settings], folder);
      await sleep(50);
    }
  }

  async startPooler(): Promise<void> {
    const { folder } = this;
    const settings = `[databases]
* = host=${folder} port=${PORT} user=host
[pgbouncer]
listen_port = ${POOLER_PORT}
unix_socket_dir = ${folder}
auth_type = any
pool_mode = transaction
default_pool_size = 8
max_client_conn = 200
`;
    await writeFile(join(folder, 'pooler.ini'), settings);
    this.#pooler = started('pgbouncer', ['-q', join(folder, 'pooler.ini')], folder);
    const until = performance.now() + PATIENCE_MS;
    while (!existsSync(join(folder, `.s.PGSQL.${POOLER_PORT}`))) {
      if (performance.now() > until) throw new Error('pgbouncer does not start');
      await sleep(20);
    }
  }

  /** Kills it with -9. */
  async kill(): Promise<void> {
    await ended(this.#server, 'SIGKILL');
  }

  /** Stops everything and removes the folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    await ended(this.#pooler, 'SIGTERM');
    await ended(this.#server, 'SIGQUIT');
    await rm(this.folder, { recursive: true, maxRetries: 5 });
  }

  async #isReady(): Promise<boolean> {
    const probe = spawn('pg_isready', ['-q', '-h', this.folder, '-p', `${PORT}`], { stdio: 'ignore' });
    const [code] = (await once(probe, 'close')) as [number];
    return code === 0;
  }
}

function urlOf(folder: string, port: number): string {
  return `postgres://host@/postgres?host=${encodeURIComponent(folder)}&port=${port}`;
}

function started(program: string, args: readonly string[], cwd: string): ChildProcess {
  return spawn(...asUser(program, args), { cwd, stdio: 'ignore' });
}

async function ended(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill(signal);
  await closed;
}

function ownUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

function asUser(program: string, args: readonly string[]): [string, string[]] {
  const user = ownUser();
  if (!user) return [program, [...args]];
  return ['setpriv', [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', program, ...args]];
}
