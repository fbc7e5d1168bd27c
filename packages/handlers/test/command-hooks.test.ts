import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hostWorkspace } from '@x/sandbox';
import { afterAll, describe, expect, it } from 'vitest';
import type { HookBehavior } from '../src/hooks/types.ts';
import { hooked } from './hooked.ts';
import { guardedBy, hostHooks } from './host-hooks.ts';

const { folder, judged, close } = hostHooks();

afterAll(close);

describe('a command hook', () => {
  it('gets its input as one JSON object on stdin, in the directory and environment of the session', async () => {
    const { value } = await judged(
      guardedBy(`node -e '
        const input = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
        const { hook_event_name, tool_name, tool_input } = input;
        console.log(JSON.stringify({ additionalContext: JSON.stringify(
          [hook_event_name, tool_name, tool_input, process.cwd() === input.project_dir, process.env.GREETING])}));
      '`),
    );

    expect(value.output).toContain('["PreToolUse","Bash",{"command":"ls"},true,"hello"]');
  });

  it('sees nothing of the environment of this process that is not meant for it', async () => {
    process.env['HOOK_SECRET'] = 'secret';

    const { ran, value } = await judged(guardedBy(`test -z "$HOOK_SECRET" || { echo "$HOOK_SECRET" >&2; exit 2; }`));

    delete process.env['HOOK_SECRET'];
    expect([ran.length, value.isError]).toEqual([1, false]);
  });

  it('lets the call through with exit code 0 and nothing to say', async () => {
    expect((await judged(guardedBy('true'))).ran).toHaveLength(1);
    expect((await judged(guardedBy('echo looks fine'))).ran).toHaveLength(1);
  });

  it('is shown with what it has said, unless it asks not to', async () => {
    const loud = await judged(guardedBy('echo looks fine'));
    const quiet = await judged(guardedBy(`echo '{"suppressOutput":true,"additionalContext":"x"}'`));

    expect(loud.shown).toEqual(['PreToolUse hook "echo looks fine": looks fine']);
    expect(quiet.shown).toEqual([]);
  });

  it('blocks with exit code 2 and stderr as the reason, whatever stdout says', async () => {
    const { value, ran } = await judged(
      guardedBy(`echo '{"permissionDecision":"allow"}'; echo "no writes today" >&2; exit 2`),
    );

    expect(value).toEqual({ output: 'Bash was not run: no writes today', isError: true, interrupted: 'not_run' });
    expect(ran).toEqual([]);
  });

  it('changes the input for the hook after it', async () => {
    const change = `sed -n 's/.*"command":"\\([a-z]*\\)".*/{"updatedInput":{"command":"\\1x"}}/p'`;
    const hook = { type: 'command' as const, command: change };

    const { ran } = await judged({ PreToolUse: [{ hooks: [hook, hook] }, { matcher: 'Bash', hooks: [hook] }] });

    expect(ran[0]?.input).toEqual({ command: 'lsxxx' });
  });

  it('that fails quotes its stderr to the host, not to the model', async () => {
    const { value, failures } = await judged(guardedBy('echo token=1 >&2; exit 1'));

    expect(value.output).toBe('Bash was not run: the PreToolUse hook "echo token=1 >&2; exit 1" failed');
    expect(failures).toEqual(['the PreToolUse hook "echo token=1 >&2; exit 1" failed: exit code 1: token=1']);
  });

  const broken: readonly [string, string][] = [
    ['ends with code 1', `echo '{"permissionDecision":"allow"}'; exit 1`],
    ['ends with code 127', './not-there.sh'],
    ['ends with code 126', 'touch plain; ./plain'],
    ['crashes', `echo '{"permissionDecision":"allow"}'; kill -SEGV $$`],
    ['prints broken JSON', `echo '{"permissionDecision":"allow"'`],
    ['prints two answers', `echo '{"permissionDecision":"allow"}{"permissionDecision":"deny"}'`],
    ['prints a log line before its answer', `echo checking; echo '{"permissionDecision":"deny"}'`],
    ['answers with a wrong word', `echo '{"permissionDecision":"Allow"}'`],
    ['answers with a wrong type', `echo '{"permissionDecision":true}'`],
    ['prints 5 MB', 'head -c 5000000 /dev/zero'],
    [
      'prints 5 MB that begin with an answer',
      `echo '{"permissionDecision":"allow"}'; head -c 5000000 /dev/zero | tr '\\0' ' '`,
    ],
    ['prints without an end', 'yes'],
    ['prints without an end to stderr', 'yes >&2'],
    ['nests too deeply', `printf '{"updatedInput":'; printf '[%.0s' $(seq 100000)`],
  ];
  it.each(broken)('that %s lets no call through', async (_what, command) => {
    const { ran, value, failures } = await judged(guardedBy(command));

    expect(ran).toEqual([]);
    expect(value).toMatchObject({ isError: true, interrupted: 'not_run' });
    expect(failures).toHaveLength(1);
  });

  it.each([
    ['stdout', 'yes'],
    ['stderr', 'yes >&2'],
  ])('that floods %s is ended, and the host is told so', async (channel, command) => {
    const { failures } = await judged(guardedBy(command));

    expect(failures).toEqual([
      `the PreToolUse hook "${command}" failed: it wrote more to ${channel} than is taken, and was ended`,
    ]);
  });

  it.each<[HookBehavior, number, string | undefined]>([
    ['ignore', 1, undefined],
    ['error', 0, undefined],
    ['deny', 0, undefined],
    ['ask', 1, 'ask'],
  ])('that fails under failureBehavior %s', async (failureBehavior, runs, approval) => {
    const { ran } = await judged(guardedBy('exit 1', { failureBehavior }));

    expect(ran).toHaveLength(runs);
    expect(ran[0]?.approval).toBe(approval);
  });

  it.each<[HookBehavior, number, string | undefined]>([
    ['ignore', 1, undefined],
    ['error', 0, undefined],
    ['deny', 0, undefined],
    ['ask', 1, 'ask'],
  ])('that hangs under timeoutBehavior %s', async (timeoutBehavior, runs, approval) => {
    const { ran } = await judged(guardedBy('sleep 100', { timeoutBehavior, timeout: 0.05 }));

    expect(ran).toHaveLength(runs);
    expect(ran[0]?.approval).toBe(approval);
  });

  it('that cannot be started lets no call through', async () => {
    const gone = join(folder(), 'gone');
    await mkdir(gone);
    const lost = hostWorkspace({ cwd: gone });
    await rm(gone, { recursive: true });
    const { call, ran } = hooked(guardedBy('true'), { workspace: lost });

    await call();

    expect(ran).toEqual([]);
  });

  it('cannot undo a denial, before it or after it', async () => {
    const allow = { type: 'command' as const, command: `echo '{"permissionDecision":"allow"}'` };
    const deny = { type: 'command' as const, command: 'exit 2' };

    expect((await judged({ PreToolUse: [{ hooks: [allow, deny] }] })).ran).toEqual([]);
    expect((await judged({ PreToolUse: [{ hooks: [deny, allow] }] })).ran).toEqual([]);
  });

  it('reaches no prototype with its output', async () => {
    const { ran } = await judged(
      guardedBy(
        `echo '{"__proto__":{"permissionDecision":"deny","polluted":1},"constructor":{"prototype":{"polluted":1}},"updatedInput":{"__proto__":{"polluted":1},"command":"pwd"}}'`,
      ),
    );

    expect(ran[0]?.input).toEqual({ command: 'pwd' });
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it.each([
    ['never reads it', 'exit 0'],
    ['closes it at once', 'exec 0<&-; sleep 0.03; exit 0'],
    ['reads a little of it', 'head -c 10 > /dev/null'],
  ])('may be given a large input that it %s', async (_what, command) => {
    const { ran } = await judged(guardedBy(command), { input: { command: 'x'.repeat(5_000_000) } });

    expect(ran).toHaveLength(1);
  });

  it('that never reads its large input and hangs is ended when its time is up', async () => {
    const { ran } = await judged(guardedBy('sleep 100', { timeout: 0.1 }), {
      input: { command: 'x'.repeat(5_000_000) },
    });

    expect(ran).toEqual([]);
  });
});
