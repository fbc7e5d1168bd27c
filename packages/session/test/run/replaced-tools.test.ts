import { defineTool, objectSchema, type Tool, type ToolDefinition, ValidationError } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { createChatModelAgent } from '@x/executor';
import { describe, expect, it } from 'vitest';
import type { SessionOptions } from '../../src/index.ts';
import { echoTool, only, say, scriptedSession, toolNamed } from '../support/makers.ts';
import { workerRole } from '../support/roles.ts';
import { setUp } from '../support/scripted-organization.ts';

const replacing = (name: string, more: Partial<ToolDefinition> = {}) =>
  toolNamed(name, async () => 'mine', { replace: true, ...more });
/** A Bash of the host's that rules can be held against. */
const shell = defineTool({
  name: 'Bash',
  description: 'Runs a line elsewhere.',
  replace: true,
  inputSchema: objectSchema({ command: { type: 'string', description: 'The line.' } }),
  subject: ({ command }) => ({ type: 'command', line: command }),
  execute: async ({ command }) => `mine: ${command}`,
});

/** What a session answers to one call, and which tools it offers. */
async function outcome(name: string, options: Partial<SessionOptions>, input: object = {}) {
  const script = [{ toolCalls: [{ name, input }] }, { text: 'Done.' }];
  const { session, model } = await scriptedSession(script, { allowedTools: [name], ...options });
  const [result] = only(await say(session, 'Begin.'), 'tool_result');
  await session.close();
  return { output: result?.output, offered: model.requests[0]?.tools.map((tool) => tool.name) };
}

const made = (options: Partial<SessionOptions>) => scriptedSession([], { allowedTools: ['Read'], ...options });
const role = workerRole({ toolGroups: ['command'] });

describe('replace', () => {
  it('puts the tool in the place of the built-in one of its name', async () => {
    const tools = [echoTool(), replacing('Glob', { kind: 'readonly' })];
    const allowedTools = ['Read', 'Glob', 'Grep', 'echo'];

    expect(await outcome('Glob', { tools, allowedTools })).toEqual({
      output: 'mine',
      offered: ['Read', 'Glob', 'Grep', 'echo'],
    });
  });

  it.each([
    [
      'Bash',
      { tools: [toolNamed('Bash', async () => '')] },
      'a built-in tool Bash; choose another name, or write replace: true',
    ],
    ['a name that no built-in tool has', { tools: [replacing('bash')] }, 'bash replaces nothing.*did you mean Bash'],
    [
      'Bash by a tool about paths, for which its rules would mean nothing',
      { tools: [replacing('Bash', { subject: () => ({ type: 'paths', paths: ['x'] }) })] },
      'of the type paths.*rules about Bash speak of a command',
    ],
    ['a name of a group without a role', { tools: [replacing('run_command')] }, 'run_command replaces nothing'],
    ['two of one name', { tools: [echoTool(), echoTool()] }, 'Two tools are named echo'],
    ['two that replace one', { tools: [replacing('Bash'), replacing('Bash')] }, 'Two tools are named Bash'],
    [
      'Task with agents',
      { tools: [replacing('Task')], agents: [{ name: 'a', description: 'd' }] },
      'Two tools are named Task|Task replaces nothing',
    ],
    [
      'false',
      { tools: [{ ...replacing('Bash'), replace: false, inputSchema: objectSchema({}) } as never] },
      'a built-in tool Bash',
    ],
  ])('refuses %s when the session is made', async (_, options, message) => {
    const making = made(options);

    await expect(making).rejects.toThrow(ValidationError);
    await expect(making).rejects.toThrow(new RegExp(message));
  });

  it('takes no other value than true', () => {
    expect(() => toolNamed('Bash', async () => '', { replace: false as never })).toThrow('replace must be true');
  });

  it('leaves the call to be judged as that of the built-in tool: asked about, unless it is readonly', async () => {
    expect((await outcome('Bash', { tools: [replacing('Bash')] })).output).toMatch(/not allowed|nobody/);
    expect((await outcome('own', { tools: [toolNamed('own', async () => 'mine')] })).output).toBe('mine');
    expect((await outcome('Bash', { tools: [replacing('Bash', { kind: 'readonly' })] })).output).toBe('mine');
    expect((await outcome('Read', { tools: [replacing('Read')] })).output).not.toBe('mine');
  });

  it('holds rules against what the new tool says it is about', async () => {
    const options = { tools: [shell], autoApprove: ['Bash(git *)'], disallowedTools: ['Bash(git push:*)'] };

    expect((await outcome('Bash', options, { command: 'git status' })).output).toBe('mine: git status');
    expect((await outcome('Bash', options, { command: 'ls' })).output).not.toContain('mine');
    expect((await outcome('Bash', options, { command: 'git push' })).output).toContain('Bash(git push:*)');
  });

  it('refuses a rule with a pattern where the new tool has nothing to hold it against', async () => {
    await expect(made({ tools: [replacing('Bash')], disallowedTools: ['Bash(rm *)'] })).rejects.toThrow(
      'calls of Bash have nothing to hold it against',
    );
  });

  it('keeps what rules about the name mean for other tools of the kind', async () => {
    const edit = defineTool({
      name: 'Edit',
      description: 'Edits elsewhere.',
      replace: true,
      inputSchema: objectSchema({ file_path: { type: 'string', description: 'The file.' } }),
      subject: ({ file_path }) => ({ type: 'paths', paths: [file_path] }),
      execute: async () => 'mine',
    });
    const options = { tools: [edit], disallowedTools: ['Edit(.env)'], permissionMode: 'acceptEdits' } as const;

    const { output } = await outcome('Write', options, { file_path: '.env', content: 'x' });

    expect(output).toContain('the rule Edit(.env) denies it');
  });

  it('replaces a tool of the built-in groups where a role brings them, and is asked about like it', async () => {
    const options = { role, tools: [replacing('run_command')], allowedTools: ['run_command'] };

    for (const more of [{}, { toolGroups: { command: { description: 'Commands.', tools: ['run_command'] } } }]) {
      const asked = await outcome('run_command', { ...options, ...more });
      const unasked = await outcome('run_command', { ...options, ...more, permissionMode: 'bypassPermissions' });

      expect(asked.output).not.toBe('mine');
      expect(unasked.output).toBe('mine');
    }
  });

  it('is needed in an organisation too, for the tools of the built-in groups', async () => {
    const making = (tools: Tool[]) => setUp({}, { session: { tools } as never }); // safe: the rest is filled in

    await expect(making([toolNamed('run_command', async () => '')])).rejects.toThrow('write replace: true');
    await (await making([replacing('run_command'), replacing('Bash')])).organization.close();
  });

  it('is refused by an agent without built-in tools', () => {
    const agent = () =>
      createChatModelAgent({
        name: 'a',
        description: 'd',
        instruction: 'i',
        model: scriptedModel([]),
        tools: [replacing('Bash')],
      });

    expect(agent).toThrow('Bash replaces nothing');
  });
});
