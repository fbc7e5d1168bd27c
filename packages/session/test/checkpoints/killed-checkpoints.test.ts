import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sqliteStore } from '../../src/index.ts';
import { bash, checkpointed, made, type Place, picture, place, write } from '../support/checkpointed.ts';
import { hasBubblewrap, NEEDS_BUBBLEWRAP } from '../support/has-bubblewrap.ts';

/** Kills a process, with kill -9, while its session runs `touch begun; <command>`. */
async function killed({ folder, home }: Place, command: string) {
  const path = join(home, 'sessions.db');
  const program = join(import.meta.dirname, '../programs/checkpointed-session.ts');
  const flags = ['--conditions=@x/source', '--no-warnings', program];
  const child = spawn(process.execPath, [...flags, path, folder, `${command}; touch begun; sleep 1000`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  const line = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const [sessionId = '', message = ''] = String(line.value).split(' ');
  await vi.waitFor(() => expect(existsSync(join(folder, 'begun'))).toBe(true), { timeout: 20_000, interval: 20 });
  child.kill('SIGKILL');
  await ended;
  const store = sqliteStore({ path });
  onTestFinished(() => store[Symbol.asyncDispose]());
  return { sessionId, message, store };
}

describe('after kill -9 in the middle of a command', () => {
  it('a rewind restores what is certain, and leaves what the command or somebody else has changed, until it is forced', async () => {
    const where = place();
    const { folder } = where;
    for (const name of ['b', 'mine']) writeFileSync(join(folder, name), 'old');
    const { sessionId, message, store } = await killed(where, 'echo agent > b');
    writeFileSync(join(folder, 'mine'), 'edited while nobody ran');

    const session = await checkpointed(folder, { store, sessionId, takeOver: true } as object);
    const result = await session.rewindFiles(message);
    expect(result).toMatchObject({ success: false, deletedFiles: [join(folder, 'a')] });
    expect(result.conflicts).toEqual(['b', 'begun', 'mine'].map((name) => join(folder, name)));
    expect(readFileSync(join(folder, 'mine'), 'utf8')).toBe('edited while nobody ran');

    const forced = await session.rewindFiles(message, { force: true, paths: ['b', 'begun'] });
    expect(forced).toMatchObject({ success: true, restoredFiles: [join(folder, 'b')] });
    expect(Object.keys(picture(folder))).toEqual(['b', 'mine']);
    expect(readFileSync(join(folder, 'b'), 'utf8')).toBe('old');
  });

  it('the run goes on with the checkpoints it had, whose lock has gone with the process', async () => {
    const where = place();
    const { folder } = where;
    const { sessionId, message, store } = await killed(where, 'true');

    const session = await checkpointed(folder, { store, sessionId, takeOver: true } as object);
    const events = await Array.fromAsync(session.stream());
    expect(events.at(-1)).toMatchObject({ type: 'result', subtype: 'success' });
    await made(session, write('later', 'agent'));
    expect(await session.rewindFiles(message, { force: true })).toMatchObject({ success: true });
    expect(picture(folder)).toEqual({});
  });
});

describe.skipIf(!hasBubblewrap)(`in a sandbox${NEEDS_BUBBLEWRAP}`, () => {
  it('a rewind takes back what contained commands and tools have changed', async () => {
    const { folder } = place();
    writeFileSync(join(folder, 'a'), 'old');
    const session = await checkpointed(folder, { sandbox: { enabled: true } });
    const before = picture(folder);

    const message = await made(session, bash('echo agent > a; mkdir -p d; echo x > d/x'), write('b', 'agent'));
    expect(Object.keys(picture(folder))).toEqual(['a', 'b', 'd', 'd/x']);
    expect(await session.rewindFiles(message)).toMatchObject({ success: true, conflicts: [] });
    expect(picture(folder)).toEqual(before);
  });
});
