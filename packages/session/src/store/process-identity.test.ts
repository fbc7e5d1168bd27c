import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionStore } from '../log/session-store.ts';
import { hasEnded, processIdentity } from './process-identity.ts';
import { sqliteStore } from './sqlite-store.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'process-identity-'));
});
afterAll(() => rm(folder, { recursive: true }));

const HOLDER = `
  import { sqliteStore } from '${join(import.meta.dirname, 'sqlite-store.ts')}';
  const lease = await sqliteStore({ path: process.argv[1] }).acquire('s', 'holder', 600_000);
  console.log(lease ? 'holds' : 'busy');
  setInterval(() => undefined, 1000);
`;

/** Another process that holds the lease of session `s` for ten minutes. */
async function holder(path: string) {
  const child = spawn(process.execPath, ['--conditions=@x/source', '--input-type=module', '-e', HOLDER, path]);
  const said = await new Promise((resolve) =>
    child.stdout.once('data', (bytes: Buffer) => resolve(bytes.toString().trim())),
  );
  const kill = () => new Promise((resolve) => child.once('exit', resolve) && child.kill('SIGKILL'));
  return { said, kill };
}

async function storeWithSession(name: string): Promise<{ path: string; store: SessionStore }> {
  const path = join(folder, name);
  const store = sqliteStore({ path });
  await store.create('s', { type: 'session_created', format: 1, cwd: '/' });
  return { path, store };
}

describe.skipIf(process.platform !== 'linux')(
  'the lease of another process (Linux; elsewhere there is no /proc)',
  () => {
    it('is respected while that process lives, and free at once when it was killed', async () => {
      const { path, store } = await storeWithSession('killed.db');
      const other = await holder(path);

      const whileAlive = await store.acquire('s', 'me', 1000);
      await other.kill();
      const afterwards = await store.acquire('s', 'me', 1000);

      expect(other.said).toBe('holds');
      expect(whileAlive).toBeUndefined();
      expect(afterwards).toMatchObject({ epoch: 2 });
      await store[Symbol.asyncDispose]();
    });
  },
);

describe.skipIf(process.platform !== 'linux')('hasEnded (Linux; elsewhere there is no /proc)', () => {
  it('holds for nobody that lives, and for nobody it knows nothing of', () => {
    const own = processIdentity()!;
    const [boot, namespace, pid, startedAt] = own.split('/');

    expect(hasEnded(own)).toBe(false);
    expect(hasEnded('')).toBe(false);
    expect(hasEnded(`${boot}/${namespace}`)).toBe(false);
    expect(hasEnded(`another-boot/${namespace}/999999999/1`)).toBe(false);
    expect(hasEnded(`${boot}/pid:[1]/999999999/1`)).toBe(false);
    expect(hasEnded(`${boot}/${namespace}/999999999/1`)).toBe(true);
    expect(hasEnded(`${boot}/${namespace}/${pid}/${Number(startedAt) - 1}`)).toBe(true);
  });
});
