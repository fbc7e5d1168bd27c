import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSession, memoryStore, type SessionOptions } from '../../src/index.ts';
import { resultOf, say, scriptedProvider } from '../support/makers.ts';

vi.mock(import('node:os'), async (original) => {
  const os = await original();
  return { ...os, homedir: vi.fn(os.homedir) };
});
const { provider } = scriptedProvider(() => ({ text: 'Done.' }));
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'odd-home-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

describe('a home of the SDK', () => {
  it.each<[string, (home: string) => Promise<void>]>([
    ['is below a file', (home) => writeFile(home, '')],
    ['is below a link to nothing', (home) => symlink('nowhere', home)],
    ['is below a link to itself', (home) => symlink(home, home)],
    ['is not there', () => Promise.resolve()],
  ])('that %s is no matter to a session with a store of its own', async (_, make) => {
    const home = join(folder, 'home');
    await make(home);
    vi.stubEnv('AGENT_SDK_HOME', join(home, 'agent'));
    const session = await createSession({ provider, model: 'm', store: memoryStore(), cwd: folder });

    expect(resultOf(await say(session, 'Hello.'))).toMatchObject({ subtype: 'success' });

    await session.close();
  });
});

it('checkpoints whose home is below a file are refused with what to do', async () => {
  await writeFile(join(folder, 'home'), '');
  vi.stubEnv('AGENT_SDK_HOME', join(folder, 'home', 'agent'));
  const cwd = join(folder, 'project');
  await mkdir(cwd);
  const creation = createSession({ provider, model: 'm', store: memoryStore(), cwd, enableFileCheckpointing: true });

  await expect(creation).rejects.toMatchObject({
    code: 'CHECKPOINT_FILE',
    message: expect.stringContaining('AGENT_SDK_HOME'),
  });
});

describe('the home directory of a user', () => {
  const noAccount = () => {
    throw Object.assign(new Error('uv_os_homedir returned ENOENT'), { code: 'ERR_SYSTEM_ERROR' });
  };

  it.each<[string, () => string, Partial<SessionOptions>]>([
    ['is not there', () => '/no/such/home', {}],
    ['is not there, with checkpoints', () => '/no/such/home', { enableFileCheckpointing: true }],
    ['is unknown, since no account has the number', noAccount, {}],
    ['is unknown, with checkpoints', noAccount, { enableFileCheckpointing: true }],
    ['is unknown, with rules for it', noAccount, { disallowedTools: ['Read(~/**)'] }],
  ])('may be one that %s', async (_, home, options) => {
    vi.stubEnv('AGENT_SDK_HOME', join(folder, 'agent'));
    vi.mocked(homedir).mockImplementation(home);
    const cwd = join(folder, 'project');
    await mkdir(cwd);
    const session = await createSession({ provider, model: 'm', store: memoryStore(), cwd, ...options });

    expect(resultOf(await say(session, 'Hello.'))).toMatchObject({ subtype: 'success' });

    await session.close();
  });
});

describe('a process whose working directory was removed', () => {
  it('has sessions that name one, and is told so by others', async () => {
    vi.spyOn(process, 'cwd').mockImplementation(() => {
      throw Object.assign(new Error('ENOENT: process.cwd failed'), { code: 'ENOENT' });
    });
    const options = { provider, model: 'm', store: memoryStore() };

    await expect(createSession(options)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      field: 'cwd',
      message: expect.stringContaining('name another as cwd'),
    });

    const session = await createSession({ ...options, cwd: folder });
    expect(resultOf(await say(session, 'Hello.'))).toMatchObject({ subtype: 'success' });
    await session.close();
  });
});
