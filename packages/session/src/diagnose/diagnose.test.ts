import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasBubblewrap } from '../../test/support/has-bubblewrap.ts';
import { diagnose, formatDiagnosis } from '../index.ts';
import { sqliteStore } from '../store/sqlite-store.ts';
import { checkHome } from './check-home.ts';
import { checkNetwork } from './check-network.ts';
import { checkClock, checkNode, checkPackages, checkProviders } from './check-packages.ts';
import { checkBash, checkRipgrep } from './check-programs.ts';
import { checkSandbox } from './check-sandbox.ts';
import { checkStore } from './check-store.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diagnose-'));
});
afterEach(() => rm(folder, { recursive: true }));
const { signal } = new AbortController();

describe('diagnose()', () => {
  it('tries everything that a session needs, and leaves nothing behind', async () => {
    const { ok, checks } = await diagnose({ storePath: join(folder, 'new/home/sessions.db') });

    expect(ok).toBe(true);
    expect(checks.map(({ name }) => name).join(' ')).toBe(
      'node packages home store clock bash ripgrep sandbox providers network',
    );
    expect(checks.find(({ name }) => name === 'store')).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/wal.* ms/),
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it('says whether commands can be contained here, and why not', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = folder;
    const lacking = await checkSandbox().finally(() => (process.env['PATH'] = path));

    expect(lacking).toMatchObject({ status: 'warning', detail: expect.stringContaining('bwrap is not on PATH') });
    expect((await checkSandbox()).status).toBe(hasBubblewrap ? 'ok' : 'warning');
  });

  it('looks at the place of the default store when none is named', async () => {
    const before = process.env['AGENT_SDK_HOME'];
    process.env['AGENT_SDK_HOME'] = join(folder, 'own');

    const { checks } = await diagnose();

    expect(checks.find(({ name }) => name === 'home')?.detail).toContain(join(folder, 'own'));
    if (before === undefined) delete process.env['AGENT_SDK_HOME'];
    else process.env['AGENT_SDK_HOME'] = before;
  });

  it('leaves a store alone that is there', async () => {
    const storePath = join(folder, 'sessions.db');
    const store = sqliteStore({ path: storePath });
    await store.create('mine', { type: 'session_created', format: 1, cwd: '/' });
    await store[Symbol.asyncDispose]();

    await diagnose({ storePath });

    expect(await readdir(folder)).toEqual(['sessions.db']);
    await using again = sqliteStore({ path: storePath });
    expect((await again.list()).sessions.map(({ sessionId }) => sessionId)).toEqual(['mine']);
  });

  it('says what fails, and is then not ok', async () => {
    await writeFile(join(folder, 'file'), '');

    const diagnosis = await diagnose({ storePath: join(folder, 'file/sessions.db') });

    expect(diagnosis.ok).toBe(false);
    expect(diagnosis.checks.filter(({ status }) => status === 'failed').map(({ name }) => name)).toEqual([
      'home',
      'store',
    ]);
    expect(formatDiagnosis(diagnosis)).toMatch(/^failed {3}store .*no sessions can be kept in .*file/m);
  });

  it.each([AbortSignal.abort(), undefined])('is ended by its signal, and leaves nothing behind', async (given) => {
    const stop = new AbortController();
    const storePath = join(folder, 'home/sessions.db');

    const looking = diagnose({ storePath, signal: given ?? stop.signal });
    stop.abort();

    await expect(looking).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([{ path: 'x' }, { storePath: '' }, { storePath: 7 }, { signal: {} }, { signal: null }])(
    'refuses the options %j',
    async (options) => {
      await expect(diagnose(options as never)).rejects.toMatchObject({ name: 'ValidationError' });
    },
  );
});

describe('formatDiagnosis', () => {
  it('writes a line for each check, hints below it, and what it comes to', () => {
    const checks = [
      { name: 'node', status: 'ok', detail: 'Node 24' },
      { name: 'ripgrep', status: 'warning', detail: 'not\n  found', hint: 'Install it' },
    ] as const;

    expect(formatDiagnosis({ ok: true, checks }).split('\n')).toEqual([
      'ok       node     Node 24',
      'warning  ripgrep  not found',
      '                  Install it',
      'Sessions work on this host.',
    ]);
    expect(formatDiagnosis({ ok: false, checks: [] })).toBe('Sessions do not work on this host yet.');
  });
});

describe('the check of', () => {
  it('Node knows which versions are enough', () => {
    const statusOf = (version: string) => checkNode(version, '>=22.18').status;

    expect(['22.18.0', '22.20.1', '24.0.0', '26.1.0'].map(statusOf)).toEqual(Array.from({ length: 4 }, () => 'ok'));
    expect(['22.17.9', '20.19.0', '9.0.0'].map(statusOf)).toEqual(Array.from({ length: 3 }, () => 'failed'));
  });

  it('the packages warns when they are of several versions', () => {
    const own = { version: '1.2.0', node: undefined };

    expect(checkPackages()).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/^@x\/session \d+\.\d+\.\d+, and \d/),
    });
    expect(checkPackages({ ...own, others: { '@x/core': '1.2.0' } }).status).toBe('ok');
    expect(checkPackages({ ...own, others: { '@x/core': '1.1.0', '@x/models': undefined } })).toMatchObject({
      status: 'warning',
      detail: '@x/session 1.2.0, but @x/core 1.1.0, @x/models not found',
    });
  });

  it('the home directory warns when others may look into it', async () => {
    const home = join(folder, 'home');
    await mkdir(home, { mode: 0o700 });
    const storePath = join(home, 'sessions.db');

    const none = await checkHome(storePath);
    await writeFile(storePath, 'x', { mode: 0o600 });
    const own = await checkHome(storePath);
    await chmod(home, 0o755);
    const open = await checkHome(storePath);

    expect(none).toMatchObject({ status: 'ok', detail: expect.stringContaining('no session yet') });
    expect(own).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/mode 700, its sessions.db 1 kB and mode 600$/),
    });
    expect(open).toMatchObject({ status: 'warning', hint: expect.stringContaining(`chmod 700 ${home}`) });
  });

  it('the store never waits for a file system that makes nothing', async () => {
    const { status, detail } = await checkStore('/proc/none/of/these/sessions.db', signal);

    expect(status).toBe('failed');
    expect(detail).toContain('/proc/none');
  });

  it('the store takes away what it made when it fails halfway', async () => {
    await symlink('nowhere', join(folder, 'link'));

    expect((await checkStore(join(folder, `a/b/${'x'.repeat(300)}/sessions.db`), signal)).status).toBe('failed');
    expect((await checkStore(join(folder, 'link/below/sessions.db'), signal)).status).toBe('failed');
    expect(await readdir(folder)).toEqual(['link']);
  });

  it('the clock warns of a time that cannot be', () => {
    expect(checkClock().status).toBe('ok');
    expect([0, Date.UTC(2024, 5), Date.UTC(2101, 0)].map((now) => checkClock(now).status)).toEqual([
      'warning',
      'warning',
      'warning',
    ]);
  });

  it('the programs says which are there, and what it means when one is not', async () => {
    expect(await checkBash(signal)).toMatchObject({ status: 'ok', detail: expect.stringMatching(/^bash \d/) });
    expect(await checkRipgrep(signal, folder)).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('Grep works without it'),
    });
    await expect(checkRipgrep(AbortSignal.abort())).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('the programs believes no other program of that name', async () => {
    await writeFile(join(folder, 'rg'), '#!/bin/sh\necho something else\n', { mode: 0o755 });

    expect((await checkRipgrep(signal, `${folder}:/usr/bin:/bin`)).status).toBe('warning');
  });

  it('the providers names variables and never a key', () => {
    const variable = (state: 'set' | 'missing' | 'unusable', name: string) =>
      ({ provider: 'gemini', variable: name, state }) as const;

    expect(checkProviders([variable('set', 'A'), variable('missing', 'B')])).toEqual({
      status: 'ok',
      detail: 'keys are set for gemini (A)',
    });
    expect(checkProviders([variable('missing', 'B')])).toMatchObject({
      status: 'warning',
      hint: expect.stringContaining('B'),
    });
    expect(checkProviders([variable('set', 'A'), variable('unusable', 'B')])).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('that in B cannot be one'),
    });
  });

  it('the network warns of a proxy that is not used, and tells nobody its password', () => {
    const env = { HTTPS_PROXY: 'http://me:secret@proxy', no_proxy: 'x' };

    expect(checkNetwork({}).status).toBe('ok');
    expect(checkNetwork({ HTTPS_PROXY: '' }).status).toBe('ok');
    expect(checkNetwork(env, 'EnvHttpProxyAgent').status).toBe('ok');
    expect(checkNetwork(env, 'Agent')).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('HTTPS_PROXY'),
    });
    expect(JSON.stringify(checkNetwork(env, 'Agent'))).not.toContain('secret');
    expect(checkNetwork({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }).status).toBe('warning');
  });
});

describe('a diagnosis that is told no key', () => {
  it('holds none, whatever the environment has', async () => {
    const names = ['OPENAI_API_KEY', 'GEMINI_API_KEY', 'HTTPS_PROXY'];
    const before = names.map((name) => [name, process.env[name]] as const);
    Object.assign(process.env, {
      OPENAI_API_KEY: 'key-4711',
      GEMINI_API_KEY: 'key 4711',
      HTTPS_PROXY: 'http://user:key-4711@127.0.0.1:9',
    });

    const diagnosis = await diagnose({ storePath: join(folder, 'sessions.db') });

    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    expect(JSON.stringify(diagnosis)).toContain('OPENAI_API_KEY');
    expect(JSON.stringify(diagnosis)).not.toContain('4711');
  });
});
