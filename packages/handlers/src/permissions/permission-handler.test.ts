import { defineTool, objectSchema, type ToolCall, type ToolKind } from '@x/core';
import { collect, memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { about, bash, edit, journaled, judged, outcome, plain, policyOf, read } from '../../test/permission-values.ts';
import { answering, callOf, configOf, tool, unknownCall } from '../../test/values.ts';
import { permissionHandler } from './permission-handler.ts';
import { parseRules } from './rule.ts';
import type { CanUseTool, PermissionMode, PermissionPolicy } from './types.ts';

describe('permissionHandler without anybody to ask', () => {
  const runs: readonly (readonly [PermissionMode, ToolKind, 'own' | 'built-in', boolean])[] = [
    ['default', 'readonly', 'built-in', true],
    ['default', 'readonly', 'own', true],
    ['default', 'write', 'built-in', false],
    ['default', 'write', 'own', true],
    ['default', 'execute', 'built-in', false],
    ['default', 'execute', 'own', true],
    ['acceptEdits', 'write', 'built-in', false],
    ['acceptEdits', 'execute', 'built-in', false],
    ['plan', 'readonly', 'built-in', true],
    ['plan', 'readonly', 'own', true],
    ['plan', 'write', 'own', false],
    ['plan', 'execute', 'built-in', false],
    ['bypassPermissions', 'readonly', 'built-in', true],
    ['bypassPermissions', 'write', 'built-in', true],
    ['bypassPermissions', 'execute', 'built-in', true],
  ];

  it.each(runs)('in mode %s, a %s tool that is %s: runs %s', async (mode, kind, whose, isRun) => {
    const used = tool('t', { kind });
    const own = whose === 'own' ? ['t'] : [];

    const { events, value } = await judged({ ...about(used, ''), input: {} }, { mode, own });

    expect(value.isError).toBe(!isRun);
    expect(value.interrupted).toBe(isRun ? undefined : 'not_run');
    expect(events).toEqual([
      expect.objectContaining({ type: 'permission', id: 'c1', decision: isRun ? 'allow' : 'deny' }),
    ]);
  });

  it.each([
    ['src/a.ts', true],
    ['/workspace/src/a.ts', true],
    ['../a.ts', false],
    ['/etc/passwd', false],
    ['/workspace2/a', false],
    ['~/a', false],
  ])('in acceptEdits a write of %s runs: %s', async (path, isRun) => {
    expect(await outcome(about(edit, path), { mode: 'acceptEdits' })).toBe(isRun ? 'mode: allow' : 'nobody: deny');
  });

  it('in acceptEdits a link out of the working directory asks', async () => {
    const call = about(edit, 'out/a');
    await call.workspace.makeLink('out', '/etc');

    expect(await outcome(call, { mode: 'acceptEdits' })).toBe('nobody: deny');
  });

  it('in plan nothing lets a tool run that is not readonly', async () => {
    const canUseTool: CanUseTool = async () => ({ behavior: 'allow' });
    const loose = { mode: 'plan', allow: ['Bash'], ask: ['Bash'], own: ['Bash'] } as const;

    expect(await outcome({ ...about(bash, 'ls'), approval: 'allow' }, loose, { canUseTool })).toBe('mode: deny');
  });

  it('lets a call of no tool through, to be answered as unknown', async () => {
    expect((await judged(unknownCall(), { mode: 'plan' })).value.output).toBe('ran');
  });

  it('judges the tool that will run as well as the one that was asked for', async () => {
    const swapped = { ...about(bash, 'ls'), name: 'Read' };

    expect(await outcome(swapped, { allow: ['Read'] })).toBe('nobody: deny');
    expect(await outcome(swapped, { deny: ['Bash'], mode: 'bypassPermissions' })).toBe('deny_rule: deny');
    expect(await outcome(swapped, { deny: ['Read'], mode: 'bypassPermissions' })).toBe('deny_rule: deny');
  });

  it.each(['bash', 'BASH', 'B\u0430sh'])('neither allows nor runs %s by a rule for Bash', async (name) => {
    expect(await outcome({ ...about(bash, 'ls'), name }, { allow: ['Bash'] })).toBe('nobody: deny');
    expect(await outcome({ ...about(bash, 'ls'), name }, { deny: ['Bash'], mode: 'bypassPermissions' })).toBe(
      'deny_rule: deny',
    );
  });

  it('reads the mode at each call', async () => {
    const policy = policyOf({ mode: 'plan' });
    const handler = permissionHandler({ policy });
    const run = async () =>
      (await collect(handler.wrapToolCall!(about(bash, 'ls'), answering(), journaled().context))).value.isError;
    const before = await run();

    policy.mode = 'bypassPermissions';

    expect([before, await run()]).toEqual([true, false]);
  });

  it('judges the calls of subagents by the same rules and the same mode', async () => {
    const handler = permissionHandler({ policy: policyOf({ deny: ['Bash(rm *)'], mode: 'plan' }) });
    const parent = { run: journaled().context, callId: 'c0' };
    const child = journaled({}, { depth: 1, agentName: 'helper', parent }).context;
    const answer = async (call: ToolCall) =>
      (await collect(handler.wrapToolCall!(call, answering(), child))).value.isError;

    expect(await answer(about(bash, 'rm x'))).toBe(true);
    expect(await answer(about(edit, 'a'))).toBe(true);
    expect(await answer(about(read, 'a'))).toBe(false);
  });

  it('asks where a rule with a pattern meets a call that says nothing to hold it against', async () => {
    const deny = parseRules(['plain(x)']);
    const policy: PermissionPolicy = { mode: 'bypassPermissions', deny, isOwn: () => true };
    const handler = permissionHandler({ policy });

    const { value } = await collect(handler.wrapToolCall!(about(plain, 'y'), answering(), journaled().context));

    expect(value.isError).toBe(true);
  });

  it.each([
    { type: 'command', line: ['rm'] },
    { type: 'paths', paths: 'a' },
    { type: 'paths', paths: [7] },
    { type: 'url' },
    { type: 'other' },
  ])('refuses a call whose subject is %j', async (subject) => {
    const odd = { ...bash, subject: () => subject as never };

    expect(await outcome(about(odd, ''), { mode: 'bypassPermissions' })).toBe('input: deny');
  });

  it('refuses a call whose subject cannot be told', async () => {
    const odd = {
      ...bash,
      subject: () => {
        throw new Error('broken');
      },
    };

    expect(await outcome(about(odd, ''), { mode: 'bypassPermissions' })).toBe('input: deny');
  });
});

describe('keys and other sessions', () => {
  const files = { '/home/me/.ssh/id': 'key', '/home/me/sub/a': '', '/opt/sdk/db': '', '/home/me/keys': '' };

  /** The names below a directory that a readonly tool was let to search, as far as it can list them. */
  async function listed(path: string, more: object = {}, tool = read): Promise<string[]> {
    const workspace = memoryWorkspace({ files, cwd: '/home/me' });
    await workspace.makeLink('/home/me/alias', '/home/me/.ssh');
    const found: string[] = [];
    const next = async function* (call: ToolCall) {
      for await (const { name } of call.workspace.list(path)) found.push(name);
      return { output: '', isError: false };
    };
    const handler = permissionHandler({
      policy: policyOf(),
      home: '/home/me/',
      ownDirectories: ['/opt/sdk/'],
      ...more,
    });
    await collect(handler.wrapToolCall!(about(tool, path, { workspace }), next, journaled().context));
    return found.sort();
  }

  it('are not come across by a search that starts above them', async () => {
    expect(await listed('/home/me')).toEqual(['keys', 'sub']);
    expect(await listed('.')).toEqual(['keys', 'sub']);
    expect(await listed('/opt')).toEqual([]);
  });

  it('are asked about by name, and then seen', async () => {
    expect(await listed('.ssh')).toEqual([]);
    expect(await listed('.ssh', { canUseTool: async () => ({ behavior: 'allow' }) })).toEqual(['id']);
    const both = { ...read, subject: () => ({ type: 'paths', paths: ['.', '.ssh'] }) as const };
    expect(await listed('.ssh', { canUseTool: async () => ({ behavior: 'allow' }) }, both)).toEqual(['id']);
    expect(await listed('alias', { canUseTool: async () => ({ behavior: 'allow' }) })).toEqual(['id']);
  });
});

describe('the way without questions', () => {
  it('neither resolves a path nor parses a line nor hashes where nothing needs it', async () => {
    const touched: string[] = [];
    const workspace = new Proxy({ cwd: '/w', env: {} } as never, {
      get: (target, key) => (key === 'cwd' ? '/w' : (touched.push(String(key)), target[key])),
    });
    const { digest } = crypto.subtle;
    crypto.subtle.digest = async (...args) => (touched.push('digest'), digest.apply(crypto.subtle, args));
    const mode = 'bypassPermissions';

    await judged({ ...about(plain, 'x'), workspace }, { mode });
    await judged({ ...about(bash, 'ls | wc'), workspace }, { mode });
    crypto.subtle.digest = digest;

    expect(touched).toEqual([]);
  });

  it('hands on the call it was given, with its doors as they were', async () => {
    const call = about(plain, 'x');
    const seen: ToolCall[] = [];
    const handler = permissionHandler({ policy: policyOf({ own: ['plain'] }) });

    await collect(handler.wrapToolCall!(call, (given) => (seen.push(given), answering()(given)), journaled().context));

    expect(seen[0]).toEqual({ ...call, records: [expect.objectContaining({ name: 'permission:c1' })] });
    expect(seen[0]?.workspace).toBe(call.workspace);
  });
});

describe('the options', () => {
  it.each([
    [{ canUseTools: () => undefined }, 'canUseTool'],
    [{ canUseTool: 'yes' }, 'function'],
    [{ ask: {} }, 'function'],
    [{ home: 'here' }, 'absolute'],
    [{ ownDirectories: ['x'] }, 'absolute'],
    [{ policy: { mode: 'Default', isOwn: () => true } }, 'policy.mode'],
    [{ policy: { mode: 'default', isOwn: true } }, 'isOwn'],
  ])('refuse %j', (odd, hint) => {
    expect(() => permissionHandler({ policy: policyOf(), ...odd } as never)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', message: expect.stringContaining(hint) }),
    );
  });

  it('refuse, when a run begins, a rule that does not fit its tool', () => {
    const handler = permissionHandler({ policy: policyOf({ allow: ['plain(x)'] }) });

    expect(() => handler.beforeAgent!(configOf(plain), journaled().context)).toThrow(/write plain/);
    expect(() => handler.beforeAgent!(configOf(bash), journaled().context)).not.toThrow();
  });

  it('know the kinds of the tools of the run where the policy does not', async () => {
    const policy: PermissionPolicy = { mode: 'default', deny: parseRules(['Read(.env)']), isOwn: () => false };
    const handler = permissionHandler({ policy });
    const { context } = journaled();
    const other = defineTool({
      name: 'look',
      description: 'Looks.',
      kind: 'readonly',
      inputSchema: objectSchema({}),
      subject: () => ({ type: 'paths', paths: ['.env'] }),
      execute: async () => '',
    });
    await handler.beforeAgent!(configOf(read, other), context);

    const { value } = await collect(
      handler.wrapToolCall!({ ...callOf(other), workspace: about(read, '').workspace }, answering(), context),
    );

    expect(value.isError).toBe(true);
  });
});
