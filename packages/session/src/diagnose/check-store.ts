import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AbortError } from '@x/core';
import { messageOf } from '@x/core/internal';
import { makeDirectory, removeEmpty } from '@x/sandbox/internal';
import { LOG_FORMAT } from '../log/entry.ts';
import { openSqlite } from '../store/sqlite-file.ts';
import { sqliteStore } from '../store/sqlite-store.ts';
import type { Finding } from './diagnosis.ts';

/** Network file systems by their type (Linux, statfs(2)): locks and shared memory do not work across machines. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB 2'],
  [0x01021997, '9P'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
]);
/** Bytes of free space below which a long session fills the disk. */
const LITTLE_SPACE = 100 * 1024 * 1024;

/** Tries a temporary store next to the sessions, and removes it again. @throws AbortError */
export async function checkStore(storePath: string, signal: AbortSignal): Promise<Finding> {
  const place = dirname(storePath);
  let made: string | undefined;
  let folder: string | undefined;
  try {
    made = makeDirectory(place);
    folder = await mkdtemp(join(place, 'diagnose-'));
    return await tried(folder, signal);
  } catch (error) {
    if (error instanceof AbortError) throw error;
    const hint = 'Make the place writable, or name another one in AGENT_SDK_HOME';
    return { status: 'failed', detail: `no sessions can be kept in ${place}: ${messageOf(error)}`, hint };
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    if (made !== undefined) removeEmpty(place, made);
  }
}

async function tried(folder: string, signal: AbortSignal): Promise<Finding> {
  const file = join(folder, 'sessions.db');
  const startedAt = performance.now();
  await writtenAndRead(file, signal);
  const milliseconds = Math.ceil(performance.now() - startedAt);
  const database = openSqlite(file);
  const [row] = database.all('pragma journal_mode');
  database.close();
  const mode = String(row?.['journal_mode']);
  const { type, bavail, bsize } = await statfs(folder);
  const detail = `SQLite (${mode}) wrote, synced and read back in ${milliseconds} ms, ${Math.floor((bavail * bsize) / 2 ** 20)} MB free`;
  const network = process.platform === 'linux' ? NETWORK.get(type) : undefined;
  if (network !== undefined) {
    const hint = 'SQLite needs a disk of this machine: name a place on one in AGENT_SDK_HOME, or use another store';
    return { status: 'warning', detail: `${detail}; the place is on a network file system (${network})`, hint };
  }
  if (mode !== 'wal') {
    const hint = 'Several processes at once will wait for each other: name another place in AGENT_SDK_HOME';
    return { status: 'warning', detail: `${detail}; without a write-ahead log`, hint };
  }
  if (bavail * bsize < LITTLE_SPACE) return { status: 'warning', detail, hint: 'Free some space' };
  return { status: 'ok', detail };
}

/** Checks that a second connection, like a second process, reads what the first has written. */
async function writtenAndRead(path: string, signal: AbortSignal): Promise<void> {
  const store = sqliteStore({ path });
  try {
    await store.create('session', { type: 'session_created', format: LOG_FORMAT, cwd: path });
    if (signal.aborted) throw new AbortError();
    const other = openSqlite(path);
    const [row] = other.all('select cwd from sessions');
    other.close();
    if (row?.['cwd'] !== path) throw new Error('what was written is not what is read');
  } finally {
    await store[Symbol.asyncDispose]();
  }
}
