import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sqliteStore } from '../../src/index.ts';
import type { HeldLine } from './held-owner.ts';
import { isLocked } from './paused-owner.ts';

const LEASE_MS = 100;
/** Longest time from going on to the abort. */
const PATIENCE_MS = 3000;
/** Until the owner's lease ends that it cannot renew, by its own clock. */
const LEASE_END_MS = 30_000;

export interface LostOwnerOptions {
  /** A fresh file. */
  readonly path: string;
  readonly what: 'tool' | 'model' | 'tool-beside';
  /** How it loses the session: another process takes it over while it is stopped, or its renewals fail until its lease has run out, because the file is locked. */
  readonly by: 'take-over' | 'locked file';
  /** Milliseconds between two renewals; 0: never. */
  readonly renewMs: number;
}

/** An owner in the middle of something loses its session: that must be aborted by its signal, and nothing more be written. */
export async function lostOwner({ path, what, by, renewMs }: LostOwnerOptions): Promise<string[]> {
  const source = fileURLToPath(new URL('held-owner.ts', import.meta.url));
  const values = ['--conditions=@x/source', '--no-warnings', source, path, what, String(LEASE_MS), String(renewMs)];
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };
  const owner = spawn(process.execPath, values, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => owner.once('close', resolve));
  const lines: HeldLine[] = [];
  createInterface(owner.stdout).on('line', (line) => lines.push(JSON.parse(line) as HeldLine));
  const told = async <T extends HeldLine['type']>(type: T, patienceMs: number) => {
    for (const until = performance.now() + patienceMs; performance.now() < until; await sleep(5)) {
      const found = lines.find((line): line is Extract<HeldLine, { type: T }> => line.type === type);
      if (found) return found;
    }
    return undefined;
  };
  const store = sqliteStore({ path });
  try {
    const begun = await told('under way', 20_000);
    if (!begun) return ['it never came to the point'];
    const entries = async () => (await Array.fromAsync(store.read(begun.sessionId))).length;
    const lock = new DatabaseSync(path, { timeout: 2000 });
    let patienceMs = PATIENCE_MS;
    if (by === 'take-over') {
      owner.kill('SIGSTOP');
      while (isLocked(path)) {
        owner.kill('SIGCONT');
        await sleep(1);
        owner.kill('SIGSTOP');
      }
      await sleep(LEASE_MS + 20);
      if (!(await store.acquire(begun.sessionId, 'the next', 60_000))) return ['its lease did not end'];
      owner.kill('SIGCONT');
    } else {
      lock.exec('begin immediate');
      patienceMs += LEASE_END_MS;
    }
    const before = await entries();
    const aborted = await told('aborted', patienceMs);
    if (lock.isTransaction) lock.exec('rollback');
    lock.close();
    if (!aborted) return [`the ${what} was not aborted`];
    const end = await told('ended', PATIENCE_MS);
    const expected = by === 'take-over' ? 'SESSION_FENCED' : 'STORE_FAILED';
    const late = (await entries()) - before;
    return [
      ...(end?.codes.join() === expected && end.subtype === 'error' ? [] : [`it ended with ${JSON.stringify(end)}`]),
      ...(late === 0 ? [] : [`${late} entries were written after the session was lost`]),
    ];
  } finally {
    owner.kill('SIGKILL');
    await ended;
    await store[Symbol.asyncDispose]();
  }
}
