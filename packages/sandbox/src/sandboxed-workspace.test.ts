import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineTool, objectSchema, type RunContext, type Tool, type ToolCall, type Workspace } from '@x/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commandPlacement } from './command-placement.ts';
import { type Containment, openContainment, spawnContained } from './containment.ts';
import type { SandboxDriver } from './driver/driver.ts';
import { noneDriver } from './drivers/none-driver.ts';
import { hostWorkspace } from './host-workspace.ts';
import type { SandboxSettings } from './policy/settings.ts';
import { sandboxHandler } from './sandbox-handler.ts';
import { sandboxedWorkspace } from './sandboxed-workspace.ts';

let folder = '';
let root = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'narrowed-')));
  root = join(folder, 'root');
  mkdirSync(join(root, 'sub'), { recursive: true });
  writeFileSync(join(root, 'a'), 'inside');
  writeFileSync(join(folder, 'secret'), 'outside');
  symlinkSync('..', join(root, 'link'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Without a wall, so that it runs everywhere: the doors are the same with every driver. */
const opened = (settings: SandboxSettings = {}): Promise<Containment> =>
  openContainment({ driver: 'none', ...settings }, { cwd: root });
const bytes = new TextEncoder().encode('x');
const textOf = async (content: Promise<Uint8Array>) => new TextDecoder().decode(await content);

/** Every door, with one path. */
const doors: Readonly<Record<string, (workspace: Workspace, path: string) => Promise<unknown>>> = {
  readFile: (workspace, path) => workspace.readFile(path),
  writeFile: (workspace, path) => workspace.writeFile(path, bytes),
  makeLink: (workspace, path) => workspace.makeLink(path, 'a'),
  makeDirectory: (workspace, path) => workspace.makeDirectory(path),
  remove: (workspace, path) => workspace.remove(path),
  stat: (workspace, path) => workspace.stat(path),
  list: (workspace, path) => Array.fromAsync(workspace.list(path)),
};

describe('sandboxedWorkspace', () => {
  it('has the doors of the host inside of its places', async () => {
    const workspace = sandboxedWorkspace(hostWorkspace({ cwd: root }), await opened());

    expect(await textOf(workspace.readFile('a'))).toBe('inside');
    await workspace.writeFile('sub/b', bytes, { mode: 0o600 });
    await workspace.makeLink('sub/l', '../a');
    await workspace.makeDirectory('sub/d');
    await workspace.remove('sub/l');
    expect((await workspace.stat('sub/b'))?.mode).toBe(0o600);
    expect((await workspace.stat('link'))?.kind).toBe('symlink');
    expect((await Array.fromAsync(workspace.list('sub'))).map(({ name }) => name).sort()).toEqual(['b', 'd']);
    expect(await textOf(workspace.readFile(join(root, 'a'), { noFollow: true }))).toBe('inside');
    expect((await workspace.stat(join(root, 'a'), { noFollow: true }))?.kind).toBe('file');
  });

  it.each(Object.keys(doors))('%s leads nowhere else, spelled, through a link or by a place', async (door) => {
    const workspace = sandboxedWorkspace(hostWorkspace({ cwd: root }), await opened());

    for (const path of [join(folder, 'secret'), '../secret', 'link/secret']) {
      await expect(doors[door]!(workspace, path)).rejects.toMatchObject({ code: 'AUTHORIZATION_ERROR' });
    }
    expect(readdirSync(folder).sort()).toEqual(['root', 'secret']);
  });

  it('asks for hosts that the settings name, and runs its commands where they belong', async () => {
    const network = { allowedDomains: ['a.example.com', '*.example.org'], deniedDomains: ['b.example.org'] };
    const asked: string[] = [];
    const host: Workspace = {
      ...hostWorkspace({ cwd: root }),
      fetch: async ({ url }) => {
        asked.push(new URL(url).hostname);
        return new Response();
      },
    };
    const driver = { ...noneDriver(), capabilities: { ...noneDriver().capabilities, network: ['domains'] as const } };
    const named = sandboxedWorkspace(host, await opened({ driver, network }));
    const open = sandboxedWorkspace(host, await opened({ network: { allowedDomains: ['*'] } }));

    await named.fetch(new Request('http://a.example.com/'));
    await named.fetch(new Request('http://x.example.org/'));
    await open.fetch(new Request('http://anything.net/'));
    for (const closed of ['b.example.org', 'example.com', 'evil.net']) {
      await expect(named.fetch(new Request(`http://${closed}/`))).rejects.toThrow('cannot be reached from the sandbox');
    }
    const running = open.spawn('pwd; echo $A', { signal: AbortSignal.timeout(9_000), env: { A: 'b' }, cwd: 'sub' });
    const said = await Array.fromAsync(running.output, ({ bytes: piece }) => new TextDecoder().decode(piece));

    expect(asked).toEqual(['a.example.com', 'x.example.org', 'anything.net']);
    expect(said.join('')).toBe(`${join(root, 'sub')}\nb\n`);
  });
});

describe('sandboxHandler', () => {
  const bash = defineTool({
    name: 'Bash',
    description: 'Runs.',
    kind: 'execute',
    inputSchema: objectSchema({ command: { type: 'string', description: 'A line.' } }),
    subject: ({ command }) => ({ type: 'command', line: command }),
    execute: async () => '',
  }) as Tool;

  it('notes what a door refuses, and offers a line that has failed', async () => {
    const containment = await opened();
    const placement = await commandPlacement(
      { allowUnsandboxedCommands: ['git'] },
      { isContained: () => true, linkedOut: () => [] },
    );
    const host = hostWorkspace({ cwd: root });
    const handler = sandboxHandler({ containment, placement, host });
    const call = {
      id: 'c',
      name: 'Bash',
      tool: bash,
      input: { command: 'git push' },
      workspace: sandboxedWorkspace(host, containment),
    } as unknown as ToolCall;
    const tried: string[] = [];
    const next = async function* (inner: ToolCall) {
      for (const door of Object.values(doors))
        await door(inner.workspace, '../secret').catch(() => tried.push('refused'));
      await inner.workspace.fetch(new Request('http://a.net')).catch(() => tried.push('refused'));
      await inner.workspace.readFile('missing').catch(() => tried.push('missing'));
      return { output: 'failed', isError: true };
    };

    expect(placement.placeOf(call)).toBe('inside');
    const stream = handler.wrapToolCall!(call, next, {} as RunContext);
    const events: unknown[] = [];
    let step = await stream.next();
    for (; !step.done; step = await stream.next()) events.push(step.value);

    expect(events).toHaveLength(8);
    expect(events.at(-1)).toEqual({ type: 'violation', id: 'c', kind: 'network', detail: 'a.net' });
    expect(tried).toHaveLength(9);
    expect(step.value).toMatchObject({ output: expect.stringContaining('whether it may run outside') });
    expect(placement.placeOf(call)).toBe('outside_if_asked');
    expect(placement.outsideLine(call)).toBe('git push');
    expect(placement.outsideLine({ ...call, input: { command: 'git pull' } })).toBeUndefined();
    expect(placement.placeOf({ ...call, id: 'd', tool: { ...bash, subject: undefined } as never })).toBe('inside');
  });
});

describe('openContainment', () => {
  const driver = (more: Partial<SandboxDriver>): SandboxDriver => ({
    name: 'mine',
    capabilities: { network: ['none'], localBinding: 'isolated', unixSockets: 'by-path', limits: [] },
    probe: async () => [],
    contain: async ({ command, env }) => ({
      argv: ['/bin/sh', '-c', String(command)],
      env,
      finish: async ({ stderr }) => ({ violations: [{ kind: 'file', detail: String(stderr.length) }] }),
    }),
    ...more,
  });

  it('takes a driver of the host’s own, its reasons, its end and its faults', async () => {
    const own = await opened({ driver: driver({}) });
    const violations: unknown[] = [];
    const options = {
      signal: AbortSignal.timeout(9_000),
      onViolations: (found: unknown) => void violations.push(found),
    };
    const command = { command: 'head -c 300000 /dev/zero >&2', cwd: root, env: {} };
    const running = spawnContained(own, command, options);
    for await (const _ of running.output);
    const broken = spawnContained(
      await opened({ driver: driver({ contain: async () => Promise.reject(new Error('lost')) }) }),
      command,
      options,
    );
    const early = spawnContained(own, { ...command, command: 'sleep 60' }, options);
    early.kill();

    expect(violations).toEqual([[{ kind: 'file', detail: '65536' }]]);
    expect(await early.exit).toEqual({ code: null, signal: 'SIGKILL' });
    await expect(Array.fromAsync(broken.output)).rejects.toThrow('lost');
    expect(await broken.exit).toEqual({ code: 126, signal: null });
    const gone = await opened({
      driver: driver({
        contain: async () => ({
          argv: ['/bin/true'],
          env: {},
          finish: async () => ({ violations: [], failure: 'the wall fell' }),
        }),
      }),
    });
    await expect(Array.fromAsync(spawnContained(gone, command, options).output)).rejects.toThrow('the wall fell');
    await expect(opened({ driver: driver({ probe: async () => ['no kernel'] }) })).rejects.toThrow('mine: no kernel');
  });

  it.skipIf(process.platform !== 'linux')(
    'says why bubblewrap does not work without user namespaces (ZS02; Linux)',
    async () => {
      const bin = join(folder, 'bin');
      mkdirSync(bin);
      writeFileSync(
        join(bin, 'bwrap'),
        '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n',
        {
          mode: 0o755,
        },
      );
      const path = process.env['PATH'];
      process.env['PATH'] = `${bin}:/usr/bin:/bin`;
      const made = opened({ driver: 'bubblewrap' }).finally(() => (process.env['PATH'] = path));

      await expect(made).rejects.toThrow(/No permissions to create new namespace; user namespaces must be allowed/);
      expect(readdirSync(root).sort()).toEqual(['a', 'link', 'sub']);
    },
  );
});
