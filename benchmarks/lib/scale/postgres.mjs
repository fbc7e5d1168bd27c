import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { PostgresServer } from '../../../packages/session/verify/support/postgres-server.ts';
import { toolPath } from '../../../scripts/checks/find-tool.mjs';
import { cpuUsOf } from '../child-processes.mjs';

/** Flushed to the disk with each commit, as a server comes; with room for what is read again. */
const SETTINGS = ['shared_buffers=256MB', 'max_connections=100', 'max_wal_size=4GB'];

/** A Postgres server of this machine in a folder of its own. The caller disposes of it. */
export async function startPostgres() {
  process.env.PATH = toolPath();
  const server = await PostgresServer.start(SETTINGS);
  const pid = Number(readFileSync(join(server.folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
  const stop = () => {
    if (readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres')) process.kill(pid, 'SIGQUIT');
  };
  process.on('exit', stop); // after Ctrl-C too
  return {
    /** Makes an empty database. */
    async database(name) {
      await withClient(server.url, (client) => client.query(`create database ${name}`));
      return server.url.replace('/postgres?', `/${name}?`);
    },
    /** The CPU time of all of its processes, in microseconds. */
    cpuUs: () => cpuUsOf(pid),
    async [Symbol.asyncDispose]() {
      process.off('exit', stop);
      await server[Symbol.asyncDispose]();
    },
  };
}

/** @template T @param {string} url @param {(client: pg.Client) => Promise<T>} work @returns {Promise<T>} */
export async function withClient(url, work) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
