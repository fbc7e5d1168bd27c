import { mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentEvent, AgentHandler } from '@x/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CanUseTool, memoryStore, type SessionOptions } from '../../src/index.ts';
import { bodiesOf, only, read, resultOf, say, scriptedSession, toolNamed } from '../support/makers.ts';
import { abandonedAt, resumed } from '../support/resumed.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'permissions-'));
  await writeFile(join(folder, 'a.txt'), 'before');
});
afterEach(() => rm(folder, { recursive: true }));

const run = (command: string) => ({ name: 'Bash', input: { command } });
const edit = (file_path: string) => ({ name: 'Edit', input: { file_path, old_string: 'before', new_string: 'after' } });

/** What the tools answered to the calls of one reply; the session may use every built-in tool. */
async function answersTo(toolCalls: readonly object[], options: Partial<SessionOptions>) {
  const { session } = await scriptedSession(
    ({ messages }) => (messages.length === 1 ? { toolCalls: toolCalls as never } : { text: 'Done.' }),
    { cwd: folder, allowedTools: ['Read', 'Write', 'Edit', 'Bash', 'Grep', 'Glob', 'own'], ...options },
  );
  const events = await say(session, 'Begin.');
  await session.close();
  return only(events, 'tool_result').map(({ output, isError }) => (isError ? `refused: ${output}` : output.trim()));
}

describe('autoApprove', () => {
  it('lets the calls pass that its rules cover, and no others', async () => {
    const options = { autoApprove: ['Bash(echo *)', 'Edit(*.txt)'] };

    const answers = await answersTo([run('echo a && echo b'), run('echo a; touch x'), edit('a.txt')], options);

    expect(answers).toEqual(['a\nb', expect.stringMatching(/^refused/), expect.stringContaining('a.txt')]);
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('after');
  });
});

describe('alwaysAsk', () => {
  it('asks even where everything is allowed', async () => {
    const asked: string[] = [];
    const canUseTool: CanUseTool = async (name) => {
      asked.push(name);
      return { behavior: 'deny', message: 'rather not' };
    };
    const options = { permissionMode: 'bypassPermissions', alwaysAsk: ['Bash(touch *)'], canUseTool } as const;

    const answers = await answersTo([run('echo a'), run('touch x')], options);

    expect(asked).toEqual(['Bash']);
    expect(answers).toEqual(['a', expect.stringContaining('rather not')]);
  });
});

describe('disallowedTools', () => {
  it('refuses the calls that a rule matches, in every mode, however they are spelled', async () => {
    const options = { permissionMode: 'bypassPermissions', disallowedTools: ['Bash(touch *)'] } as const;

    const answers = await answersTo(
      [run('echo a'), run('echo b && /usr/bin/touch x'), run("bash -c 'touch y'")],
      options,
    );

    expect(answers).toEqual(['a', expect.stringMatching(/^refused/), expect.stringMatching(/^refused/)]);
  });
});

describe('permissionMode acceptEdits', () => {
  it('writes inside the working directory, and asks about all else', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'outside-'));
    await writeFile(join(outside, 'b.txt'), 'before');
    await symlink(outside, join(folder, 'link'));
    const calls = [edit('a.txt'), edit('link/b.txt'), edit(join(outside, 'b.txt')), run('touch x')];

    const answers = await answersTo(calls, { permissionMode: 'acceptEdits' });

    expect(answers[0]).toContain('a.txt');
    expect(answers[0]).not.toMatch(/refused|not run/);
    for (const answer of answers.slice(1)) expect(answer).toMatch(/^refused/);
    expect(await readFile(join(outside, 'b.txt'), 'utf8')).toBe('before');
    await rm(outside, { recursive: true });
  });

  it('asks about protected files', async () => {
    const write = { name: 'Write', input: { file_path: '.git/hooks/pre-commit', content: 'x' } };

    expect(await answersTo([write], { permissionMode: 'acceptEdits' })).toEqual([expect.stringContaining('protected')]);
  });
});

describe('canUseTool', () => {
  it('is told whose call it is, and may change its input, which is judged again', async () => {
    const told: object[] = [];
    const canUseTool: CanUseTool = async (toolName, input, { signal, ...facts }) => {
      told.push({ toolName, input, aborted: signal.aborted, ...facts });
      return { behavior: 'allow', updatedInput: { command: 'echo changed' } };
    };

    const answers = await answersTo([run('echo a')], { canUseTool });

    expect(told[0]).toEqual({
      toolName: 'Bash',
      input: { command: 'echo a' },
      aborted: false,
      toolKind: 'execute',
      callId: expect.any(String),
      agentName: 'main',
      depth: 0,
      unsandboxed: false,
      reason: expect.stringContaining("mode 'default'"),
      suggestedRule: 'Bash(echo a)',
    });
    expect(answers).toEqual(['changed']);
  });

  it('is told where the paths of a call really lead, and which rule wants to know', async () => {
    await symlink(tmpdir(), join(folder, 'inside'));
    const told: object[] = [];
    const canUseTool: CanUseTool = async (_, __, { resolvedPaths, matchedRule }) => {
      told.push({ resolvedPaths, matchedRule });
      return { behavior: 'deny', message: 'no' };
    };

    await answersTo([edit('inside/b.txt')], { canUseTool, alwaysAsk: ['Edit'] });

    expect(told).toEqual([{ resolvedPaths: [join(await realpath(tmpdir()), 'b.txt')], matchedRule: 'Edit' }]);
  });

  it('does not get past a deny rule with another input', async () => {
    const canUseTool: CanUseTool = async () => ({ behavior: 'allow', updatedInput: { command: 'touch x' } });

    const answers = await answersTo([run('echo a')], { canUseTool, disallowedTools: ['Bash(touch *)'] });

    expect(answers).toEqual([expect.stringMatching(/^refused.*Bash\(touch \*\)/)]);
  });

  it('behaves as the example of the specification: reading is allowed, rm -rf is not, the rest is asked', async () => {
    const canUseTool: CanUseTool = async (_, input, { toolKind }) => {
      if (toolKind === 'readonly') return { behavior: 'allow' };
      if (String((input as { command?: unknown }).command).includes('rm -rf')) {
        return { behavior: 'deny', message: 'Dangerous command' };
      }
      return { behavior: 'ask' };
    };
    const calls = [{ name: 'Read', input: { file_path: 'a.txt' } }, run('rm -rf x'), run('echo a')];

    const answers = await answersTo(calls, { canUseTool });

    expect(answers).toEqual([
      expect.stringContaining('before'),
      expect.stringContaining('Dangerous command'),
      expect.stringMatching(/^refused.*autoApprove/s),
    ]);
  });

  it('is told of the abort, which is not waited for', async () => {
    const reached = Promise.withResolvers<AbortSignal>();
    const canUseTool: CanUseTool = (_, __, { signal }) => {
      reached.resolve(signal);
      return new Promise(() => undefined);
    };
    const { session } = await scriptedSession([{ toolCalls: [run('echo a')] }], {
      canUseTool,
      allowedTools: ['Bash'],
    });
    await session.send('Begin.');
    const events = read(session);

    const signal = await reached.promise;
    session.abort();

    expect(signal.aborted).toBe(true);
    expect(resultOf(await events).subtype).toBe('aborted');
  });

  it('is asked by subagents too, and says no for them', async () => {
    const told: unknown[] = [];
    const canUseTool: CanUseTool = async (toolName, _, { agentName, depth }) => {
      told.push([toolName, agentName, depth]);
      return toolName === 'Task' ? { behavior: 'allow' } : { behavior: 'deny', message: 'no' };
    };
    const task = { name: 'Task', input: { subagent_type: 'helper', description: 'Help', prompt: 'Help.' } };
    const seen: AgentEvent[] = [];
    const watcher: AgentHandler = { name: 'see', onEvent: (event) => void seen.push(event) };
    const { session } = await scriptedSession(
      ({ messages }) => {
        if (messages.at(-1)?.role === 'tool') return { text: 'Done.' };
        return { toolCalls: [JSON.stringify(messages[0]).includes('Help.') ? run('echo a') : task] };
      },
      {
        allowedTools: ['Task', 'Bash'],
        agents: [{ name: 'helper', description: 'Helps.' }],
        canUseTool,
        handlers: [watcher],
      },
    );

    await say(session, 'Begin.');

    expect(told).toEqual([
      ['Task', 'main', 0],
      ['Bash', 'helper', 1],
    ]);
    expect(seen).toContainEqual(expect.objectContaining({ type: 'tool_result', name: 'Bash', isError: true }));
  });
});

describe('a decision', () => {
  it('is in the log, with its reason, its step and its rule', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession([{ toolCalls: [{ id: 'c', ...run('echo a') }] }, { text: 'Done.' }], {
      store,
      allowedTools: ['Bash'],
      autoApprove: ['Bash(echo *)'],
    });

    await say(session, 'Begin.');

    const notes = (await bodiesOf(store, session.sessionId)).flatMap((body) =>
      body.type === 'record' && body.record.type === 'note' ? [body.record] : [],
    );
    expect(notes).toEqual([
      {
        type: 'note',
        name: 'permission:c',
        data: { decision: 'allow', step: 'allow_rule', matchedRule: 'Bash(echo *)', reason: expect.any(String) },
      },
    ]);
  });
});

describe('an approval', () => {
  const reply = { toolCalls: [{ id: 'c', name: 'own', input: {} }] };
  const allowing = (asked: string[]): CanUseTool => {
    return async (_, __, { callId }) => {
      asked.push(callId);
      return { behavior: 'allow' };
    };
  };
  const own = (name: string) => toolNamed(name, async () => 'ran', { kind: 'execute', effect: 'idempotent' });

  it('holds for the same call after a restart, and for no other', async () => {
    const asked: string[] = [];
    const { store, sessionId } = await abandonedAt(reply, own('own'), { canUseTool: allowing(asked) });
    const script = [{ toolCalls: [{ id: 'd', name: 'own', input: {} }] }, { text: 'Done.' }];
    const { session } = await resumed(store, sessionId, script, { tools: [own('own')], canUseTool: allowing(asked) });

    const events = await read(session);

    expect(only(events, 'tool_result').map(({ output }) => output)).toEqual(['ran', 'ran']);
    expect(asked).toEqual(['c', 'd']);
  });

  it('does not hold against a rule that denies now', async () => {
    const { store, sessionId } = await abandonedAt(reply, own('own'), { canUseTool: allowing([]) });
    const { session } = await resumed(store, sessionId, [{ text: 'Done.' }], {
      tools: [own('own')],
      permissionMode: 'plan',
      canUseTool: allowing([]),
    });

    expect(only(await read(session), 'tool_result')).toMatchObject([{ isError: true }]);
  });
});
