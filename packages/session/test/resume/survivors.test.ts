import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tool } from '@x/core';
import { memoryWorkspace, type Script } from '@x/core/testing';
import { hostWorkspace } from '@x/sandbox';
import { describe, expect, it } from 'vitest';
import { exportSession, importSession, memoryStore, type ResumeOptions } from '../../src/index.ts';
import { bodiesOf, read, scriptedSession, toolNamed } from '../support/makers.ts';
import { expiring, finishedIn, resumed } from '../support/resumed.ts';

const COMMAND = `trap '' TERM HUP INT; echo $$ > pid.new; mv pid.new pid; while :; do sleep 0.02; done`;
const DOUBLE_FORKED = `(setsid sh -c 'sh -c "${COMMAND.replaceAll('$', '\\$')}" >/dev/null 2>&1 &' &); sleep 100`;

/** A call whose first execution runs a command that does not end; a later one only says what is still alive. */
function worker(pidOf: () => number | undefined, more: { effect?: Tool['effect']; command?: string } = {}): Tool {
  let isFirst = true;
  return toolNamed(
    'work',
    async (_, { workspace, signal }) => {
      if (!isFirst) return `alive: ${isAlive(pidOf())}`;
      isFirst = false;
      const running = workspace.spawn(more.command ?? COMMAND, { signal: new AbortController().signal });
      signal.addEventListener('abort', () => undefined);
      for await (const _chunk of running.output);
      return await new Promise(() => undefined); // what the owner would do next does not happen
    },
    { kind: 'readonly', effect: more.effect ?? 'non_idempotent' },
  );
}

function isAlive(pid: number | undefined): boolean {
  const stat = pid !== undefined && existsSync(`/proc/${pid}/stat`) && readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat !== false && !/\) [ZX] /.test(stat);
}

/** Whether there is such a process or group, ended ones included that nobody has collected. */
function isThere(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

/** A session whose owner does not go on while a command of its call runs. */
async function interrupted({ script = CALLS, ...more }: Parameters<typeof worker>[1] & { script?: Script } = {}) {
  const cwd = await mkdtemp(join(tmpdir(), 'survivors-'));
  const pidOf = () => (existsSync(join(cwd, 'pid')) ? Number(readFileSync(join(cwd, 'pid'), 'utf8')) : undefined);
  const tool = worker(pidOf, more);
  const options = {
    tools: [tool],
    allowedTools: ['work', 'Task'],
    agents: [{ name: 'helper', description: 'Helps.' }],
  };
  const store = expiring(memoryStore());
  const { session } = await scriptedSession(script, { ...options, store, cwd });
  await session.send('Begin.');
  const stream = session.stream();
  void Array.fromAsync({ [Symbol.asyncIterator]: () => ({ next: () => stream.next() }) }).catch(() => undefined);
  while (pidOf() === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
  const { sessionId } = session;
  return {
    store,
    sessionId,
    pid: pidOf()!,
    goesOn: async (about: Partial<ResumeOptions> = {}, from = { store, sessionId }) => {
      const seen: boolean[] = [];
      const asked: Script = (request, call) => {
        seen.push(isAlive(pidOf()));
        return typeof script === 'function' ? script(request, call) : { text: 'Done.' };
      };
      const { session: again } = await resumed(from.store, from.sessionId, asked, { ...options, ...about });
      await read(again);
      const answer = finishedIn(await bodiesOf(from.store, from.sessionId)).find(({ callId }) => callId === 'c');
      return { seen, output: answer?.result.output };
    },
    clear: async () => {
      try {
        process.kill(pidOf()!, 'SIGKILL');
      } catch {
        // it has ended, as it should
      }
      await rm(cwd, { recursive: true, force: true });
    },
  };
}

const CALLS: Script = ({ messages }) =>
  messages.at(-1)?.role === 'tool' ? { text: 'Done.' } : { toolCalls: [{ id: 'c', name: 'work' }] };

/** The agent hands its task on; the subagent works. */
const DELEGATES: Script = ({ messages, tools }) => {
  if (messages.at(-1)?.role === 'tool') return { text: 'Done.' };
  const isMain = tools.some(({ name }) => name === 'Task') && JSON.stringify(messages).includes('Begin.');
  const task = { subagent_type: 'helper', description: 'A task', prompt: 'Work.' };
  return { toolCalls: [isMain ? { id: 't', name: 'Task', input: task } : { id: 'c', name: 'work' }] };
};

describe.runIf(process.platform === 'linux')('the commands of an interrupted call', () => {
  it.each([
    ['a command', {}],
    ['a child whose parents have ended', { command: DOUBLE_FORKED }],
    ["a subagent's command", { script: DELEGATES }],
  ])('are ended before the call is answered, which says so: %s (V18)', async (_, about) => {
    const { goesOn, pid, clear } = await interrupted(about);

    const { seen, output } = await goesOn();

    expect(output).toMatch(
      /^work was interrupted; its effect is not known\. A command of it was still running and was/,
    );
    expect(seen).not.toContain(true);
    expect(isAlive(pid)).toBe(false);
    await clear();
  });

  it('are ended before the call runs again, where it may', async () => {
    const { goesOn, clear } = await interrupted({ effect: 'idempotent' });

    const { output } = await goesOn();

    expect(output).toBe('alive: false');
    await clear();
  });

  it('are said to have ended when they had', async () => {
    const { goesOn, pid, clear } = await interrupted();
    process.kill(-pid, 'SIGKILL');
    while (isThere(-pid)) await new Promise((resolve) => setTimeout(resolve, 5));

    const { output } = await goesOn();

    expect(output).toContain('No command of it is running any more.');
    await clear();
  });

  it.each([
    ['whose workspace does not find commands', memoryWorkspace()],
    ['of another machine', { ...memoryWorkspace(), commands: { mark: () => 'm', end: async () => undefined } }],
  ])('go on and are said to be unknown when the session goes on in a process %s', async (_, workspace) => {
    const { goesOn, pid, clear } = await interrupted();

    const { output } = await goesOn({ workspace });

    expect(output).toContain('Whether a command of it is still running cannot be found out from here.');
    expect(isAlive(pid)).toBe(true);
    await clear();
  });

  it('go on when nobody looks for them (control)', async () => {
    const { goesOn, pid, clear } = await interrupted();
    const nobody = { ...hostWorkspace({ cwd: tmpdir() }).commands!, end: async () => false };

    const { seen } = await goesOn({ workspace: { ...hostWorkspace({ cwd: tmpdir() }), commands: nobody } });

    expect(seen).toContain(true);
    expect(isAlive(pid)).toBe(true);
    await clear();
  });

  it('are left to the session they belong to by one that was imported', async () => {
    const { goesOn, pid, clear, store, sessionId } = await interrupted();
    const other = memoryStore();
    await importSession(await Array.fromAsync(exportSession(sessionId, { store })), {
      store: other,
      sessionId: 'copy',
    });

    await goesOn({}, { store: other, sessionId: 'copy' });

    expect(finishedIn(await bodiesOf(other, 'copy'))).toHaveLength(1);
    expect(isAlive(pid)).toBe(true);
    await clear();
  });
});
