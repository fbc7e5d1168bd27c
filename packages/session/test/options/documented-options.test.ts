import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelRequest } from '@x/core';
import type { Script } from '@x/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentDefinition, SessionOptions } from '../../src/index.ts';
import { only, say, scriptedSession } from '../support/makers.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'documented-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** What the tools answered to the calls of one reply. */
async function answersTo(toolCalls: readonly { name: string; input: object }[], options: Partial<SessionOptions>) {
  const script: Script = ({ messages }) => (messages.length === 1 ? { toolCalls } : { text: 'Done.' });
  const { session } = await scriptedSession(script, { cwd: folder, allowedTools: ['Bash'], ...options });
  const events = await say(session, 'Begin.');
  await session.close();
  return only(events, 'tool_result').map(({ output }) => output.trim());
}

describe('hooks', () => {
  const hooks: SessionOptions['hooks'] = {
    enabled: true,
    PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: './scripts/validate-bash.sh', timeout: 10 }] }],
  };
  const calls = ['echo fine', 'echo rm -rf /'].map((command) => ({ name: 'Bash', input: { command } }));

  it('may be a script of the project, which validates what Bash is to run', async () => {
    await mkdir(join(folder, 'scripts'));
    const script = '#!/bin/sh\ncase "$(cat)" in *"rm -rf"*) echo "not that" >&2; exit 2;; esac\n';
    await writeFile(join(folder, 'scripts/validate-bash.sh'), script, { mode: 0o755 });

    const answers = await answersTo(calls, { hooks, permissionMode: 'bypassPermissions' });

    expect(answers).toEqual(['fine', 'Bash was not run: not that']);
  });

  it('let nothing through when the script is not there', async () => {
    const answers = await answersTo(calls, { hooks, permissionMode: 'bypassPermissions' });

    expect(answers).toEqual([
      expect.stringContaining('Bash was not run: the PreToolUse hook'),
      expect.stringContaining('Bash was not run: the PreToolUse hook'),
    ]);
  });
});

describe('agents', () => {
  it('have the prompt and the tools of their definition', async () => {
    const searchAgent: AgentDefinition = {
      name: 'search',
      description: 'Searches the code base',
      systemPrompt: 'You are an expert in searching code',
      tools: ['Read', 'Grep', 'Glob'],
    };
    const task = { subagent_type: 'search', description: 'Find it', prompt: 'Where is it?' };
    const script: Script = ({ instruction, messages }) => {
      if (instruction === searchAgent.systemPrompt) return { text: 'In a.ts.' };
      return messages.length === 1 ? { toolCalls: [{ name: 'Task', input: task }] } : { text: 'Done.' };
    };
    const allowedTools = ['Task', 'Read', 'Grep', 'Glob', 'Bash'];
    const { session, model } = await scriptedSession(script, { cwd: folder, allowedTools, agents: [searchAgent] });

    const events = await say(session, 'Begin.');
    await session.close();

    const namesIn = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name).toSorted();
    expect(only(events, 'tool_result')).toMatchObject([{ name: 'Task', output: 'In a.ts.' }]);
    expect(namesIn(model.requests[0])).toEqual(['Bash', 'Glob', 'Grep', 'Read', 'Task']);
    expect(namesIn(model.requests[1])).toEqual(['Glob', 'Grep', 'Read']);
  });
});
