import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineTool, objectSchema, type Tool } from '@x/core';
import type { CanUseTool } from '@x/handlers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqliteStore } from '../../src/index.ts';
import { hasBubblewrap, NEEDS_BUBBLEWRAP } from '../support/has-bubblewrap.ts';
import { only, say, scriptedSession } from '../support/makers.ts';
import { bash, ran, write } from '../support/sandboxed.ts';

let [place, folder, outside] = ['', '', ''];
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'calls-')));
  [folder, outside] = [join(place, 'own'), join(place, 'outside')];
  for (const one of [folder, outside]) mkdirSync(one);
});
afterEach(() => rmSync(place, { recursive: true }));

describe.skipIf(!hasBubblewrap)(`calls in a sandbox${NEEDS_BUBBLEWRAP}`, () => {
  it.each([
    ['its driver', 'bin'],
    ['its directory', 'own'],
  ])('fail when %s is gone meanwhile, and run nowhere else (B17, ZS03)', async (_, lost) => {
    const bin = join(place, 'bin');
    mkdirSync(bin);
    copyFileSync(spawnSync('which', ['bwrap'], { encoding: 'utf8' }).stdout.trim(), join(bin, 'bwrap'));
    const path = process.env['PATH'];
    process.env['PATH'] = `${bin}:${path}`;
    const { session } = await scriptedSession(
      (_, turn) => (turn === 1 ? { toolCalls: [bash(`echo ran; echo x > ${outside}/x`) as never] } : { text: 'Done.' }),
      { cwd: folder, allowedTools: ['Bash'], permissionMode: 'bypassPermissions', sandbox: { enabled: true } },
    ).finally(() => (process.env['PATH'] = path));
    rmSync(join(place, lost), { recursive: true });

    const [result] = only(await say(session, 'Begin.'), 'tool_result');
    await session.close();

    expect(result).toMatchObject({ isError: true, output: expect.stringContaining('No sandbox can be used') });
    expect([result?.output.includes('ran\n'), readdirSync(outside)]).toEqual([false, []]);
  });

  it('are contained in subagents and in tools of the host’s own, which start processes (B05)', async () => {
    const task = { name: 'Task', input: { subagent_type: 'helper', description: 'Help', prompt: 'Help.' } };
    const line = (name: string) => `echo x > ${outside}/${name}; echo x > ${name}`;
    const tool = defineTool({
      name: 'own',
      description: 'Runs.',
      kind: 'execute',
      inputSchema: objectSchema({}),
      execute: async (_, { workspace, signal }) => {
        const running = workspace.spawn(line('by-tool'), { signal });
        for await (const _piece of running.output);
        return 'ran';
      },
    }) as Tool;
    const { session } = await scriptedSession(
      ({ messages }, turn) => {
        if (JSON.stringify(messages[0]).includes('Help.'))
          return messages.length === 1 ? { toolCalls: [bash(line('by-subagent')) as never] } : { text: 'Helped.' };
        return turn === 1 ? { toolCalls: [task, { name: 'own', input: {} }] } : { text: 'Done.' };
      },
      {
        cwd: folder,
        tools: [tool],
        allowedTools: ['Task', 'Bash', 'own'],
        agents: [{ name: 'helper', description: 'Helps.' }],
        permissionMode: 'bypassPermissions',
        sandbox: { enabled: true },
      },
    );

    await say(session, 'Begin.');
    await session.close();

    expect(readdirSync(folder).sort()).toEqual(['by-subagent', 'by-tool']);
    expect(readdirSync(outside)).toEqual([]);
  });

  it('have their violations reported under their own ids (B18, ZS20)', async () => {
    const { events } = await ran(folder, [bash('touch /etc/sandbox-a'), write('/etc/sandbox-b')], {});

    const ids = events.flatMap((event) => (event.type === 'tool_use' ? [event.id] : []));
    const violations = events.flatMap((event) => (event.type === 'violation' ? [[event.id, event.detail]] : []));
    expect(violations).toEqual([
      [ids[0], '/etc/sandbox-a'],
      [ids[1], '/etc/sandbox-b'],
    ]);
    expect(existsSync('/etc/sandbox-a')).toBe(false);
  });

  it('autoAllowBashIfSandboxed: rules that ask, and hooks that deny, still win (B07)', async () => {
    const asked: unknown[] = [];
    const canUseTool: CanUseTool = async (_, input) => {
      asked.push(input);
      return { behavior: 'deny', message: 'no' };
    };
    const hooks = {
      PreToolUse: [
        { matcher: 'Bash', hooks: [{ type: 'command' as const, command: 'grep -q hooked && exit 2; exit 0' }] },
      ],
    };

    const { failed } = await ran(
      folder,
      [bash('echo free'), bash('touch a'), bash('echo hooked')],
      { autoAllowBashIfSandboxed: true },
      { permissionMode: 'default', canUseTool, alwaysAsk: ['Bash(touch *)'], hooks },
    );

    expect(failed).toEqual([false, true, true]);
    expect(asked).toEqual([{ command: 'touch a' }]);
  });

  it.each(['path', 'directory'])('neither see nor change a store in the working directory (ZS08, %s)', async (kind) => {
    const where = join(folder, 'kept');
    mkdirSync(where);
    const at = join(where, 'sessions.db');
    const store = sqliteStore(kind === 'path' ? { path: at } : { directory: where });
    const spoil = `for f in kept/*; do echo "see $f: $(wc -c < $f)"; echo spoilt > $f; done`;
    const calls = [bash(spoil), { name: 'Read', input: { file_path: at } }, write('kept/sessions.db')];

    const { outputs, failed } = await ran(folder, [...calls, bash('echo work > a; cat a')], {}, { store });

    expect(outputs[0]).not.toMatch(/: [1-9]/);
    expect(failed.slice(1)).toEqual([true, true, false]);
    expect((await store.list()).sessions).toHaveLength(1);
    await store[Symbol.asyncDispose]();
  });
});
