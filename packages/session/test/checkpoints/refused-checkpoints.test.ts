import { existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { hostWorkspace } from '@x/sandbox';
import { describe, expect, it, vi } from 'vitest';
import { sqliteStore } from '../../src/index.ts';
import { bash, checkpointed, made, picture, place, write } from '../support/checkpointed.ts';

describe('checkpoints of a session', () => {
  it('are refused where they could not be kept, when the session is made', async () => {
    const { folder, home } = place();
    const refused = { code: 'VALIDATION_ERROR', field: 'enableFileCheckpointing' };

    for (const cwd of ['/', homedir(), realpathSync(homedir())]) {
      await expect(checkpointed(cwd)).rejects.toMatchObject(refused);
    }
    const workspace = hostWorkspace({ cwd: folder });
    await expect(checkpointed(folder, { workspace, cwd: undefined as never })).rejects.toMatchObject(refused);
    await expect(checkpointed(folder, { enableFileCheckpointing: 'yes' as never })).rejects.toMatchObject(refused);
    vi.stubEnv('AGENT_SDK_HOME', join(folder, 'own'));
    await expect(checkpointed(folder)).rejects.toThrow(/enableFileCheckpointing: .*lies inside of cwd/);
    expect(existsSync(home)).toBe(false);
  });

  it('are not made when the session is not', async () => {
    const { folder, home } = place();
    const SessionStart = [{ hooks: [() => Promise.resolve({ continue: false, stopReason: 'no' })] }];

    await expect(checkpointed(folder, { hooks: { SessionStart } })).rejects.toMatchObject({ code: 'STOPPED_BY_HOOK' });
    expect(readdirSync(join(home, 'checkpoints'))).toEqual([]);
  });

  it('read nothing and keep nothing while they are off (F01)', async () => {
    const { folder, home } = place();
    const session = await checkpointed(folder, { enableFileCheckpointing: false });
    await made(session, write('a', '1'), bash('touch b'));

    expect(existsSync(join(home, 'checkpoints'))).toBe(false);
  });

  it.each(['path', 'directory'])('leave the store alone that lies in the working directory (%s)', async (kind) => {
    const { folder } = place();
    const where = join(folder, 'kept');
    mkdirSync(where);
    const store = sqliteStore(kind === 'path' ? { path: join(where, 'sessions.db') } : { directory: where });
    const session = await checkpointed(folder, { store });
    const message = await made(session, write('a', '1'), bash('echo 1 > kept/b'));

    const result = await session.rewindFiles(message);
    const left = kind === 'path' ? [] : ['kept/b'];
    expect(result).toMatchObject({ success: true, conflicts: [] });
    expect(Object.keys(picture(folder)).filter((path) => !/\.db(-wal|-shm)?$/.test(path))).toEqual(['kept', ...left]);
    await session.close();
    const again = await checkpointed(folder, { store, sessionId: session.sessionId });
    expect(again.messages.map(({ id }) => id)).toContain(message);
    await store[Symbol.asyncDispose]();
  });
});
