import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILTIN_TOOL_GROUPS, type Role, ToolGroupManager } from '@x/tool-groups';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryStore, type SessionOptions } from '../../src/index.ts';
import { codeOf, echoTool, only, say, scriptedSession, toolNamed } from '../support/makers.ts';
import { resumed } from '../support/resumed.ts';

const role: Role = {
  id: 'r',
  name: 'writer',
  rolePrompt: 'You write texts.',
  createdBy: 'root',
  createdAt: '2026-01-11T08:00:00.000Z',
  status: 'active',
  llmServiceId: null,
};
const toolGroups = {
  words: { description: 'Words.', tools: ['echo'] },
  files: { description: 'Files.', tools: ['Read'] },
};

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'role-'));
});
afterEach(() => rm(folder, { recursive: true }));

const session = (script: Parameters<typeof scriptedSession>[0], options: Partial<SessionOptions>) =>
  scriptedSession(script, { cwd: folder, allowedTools: undefined, ...options } as never);
const asks = (name: string, input: object = {}) => [{ toolCalls: [{ name, input }] }, { text: 'Done.' }];
const offered = ({ requests }: { readonly requests: readonly { tools: readonly { name: string }[] }[] }) =>
  requests.map(({ tools }) => tools.map(({ name }) => name));

describe('role', () => {
  it('adds its prompt to the instruction, and offers and runs only the tools of its groups', async () => {
    const options = { role: { ...role, toolGroups: ['words'] }, toolGroups, systemPrompt: 'Be short.' };
    const { session: one, model } = await session(asks('Read', { file_path: 'x' }), {
      ...options,
      tools: [echoTool()],
    });

    const results = only(await say(one, 'Begin.'), 'tool_result');
    await one.close();

    expect(model.requests[0]?.instruction).toBe('Be short.\n\nYou write texts.');
    expect(offered(model)).toEqual([['echo'], ['echo']]);
    expect(results).toMatchObject([{ isError: true, output: '工具 Read 对此岗位不可用' }]);
  });

  it('runs a tool of its groups', async () => {
    const options = { role: { ...role, toolGroups: ['words'] }, toolGroups, tools: [echoTool()] };
    const { session: one } = await session(asks('echo', { text: 'Hi.' }), options);

    const results = only(await say(one, 'Begin.'), 'tool_result');
    await one.close();

    expect(results).toMatchObject([{ output: 'Hi.' }]);
  });

  it.each<[string, Role['toolGroups'], string[]]>([
    ['all groups without a list of its own', undefined, ['Read', 'echo']],
    ['no tool with an empty list', [], []],
  ])('has %s', async (_, own, names) => {
    const one = await session([{ text: 'Done.' }], {
      role: { ...role, ...(own ? { toolGroups: own } : {}) },
      toolGroups,
      tools: [echoTool()],
    });

    await say(one.session, 'Begin.');
    await one.session.close();

    expect(offered(one.model)).toEqual([names]);
  });

  it('has the tools of the built-in groups where the host names no others', async () => {
    const one = await session([{ text: 'Done.' }], { role: { ...role, toolGroups: ['workspace', 'command'] } });

    await say(one.session, 'Begin.');
    await one.session.close();

    const { workspace, command } = BUILTIN_TOOL_GROUPS;
    expect(offered(one.model)).toEqual([[...workspace.tools, ...command.tools]]);
  });

  it('approves nothing: a command of a built-in group is asked about as Bash is', async () => {
    const options = { role: { ...role, toolGroups: ['command'] } };
    const asked = await session(asks('run_command', { command: 'touch made' }), options);
    const allowed = await session(asks('run_command', { command: 'touch made' }), {
      ...options,
      autoApprove: ['run_command(touch *)'],
    });

    const refusal = only(await say(asked.session, 'Begin.'), 'tool_result');
    const answer = only(await say(allowed.session, 'Begin.'), 'tool_result');
    await Promise.all([asked.session.close(), allowed.session.close()]);

    expect(refusal).toMatchObject([{ isError: true, output: expect.stringContaining('run_command was not run') }]);
    expect(answer).toMatchObject([{ isError: false, output: '(no output)' }]);
  });

  it('works with the context and the artifacts of its session', async () => {
    const calls = [
      { name: 'get_context_status', input: {} },
      { name: 'put_artifact', input: { name: 'plan', content: 'Do it.' } },
      { name: 'compress_context', input: { instructions: 'Keep the plan.' } },
    ];
    const script = [{ toolCalls: calls }, { text: 'A summary.' }, { text: 'Done.' }];
    const one = await session(script, { role, permissionMode: 'acceptEdits' });
    const told: string[] = [];
    const watched = await session(script, {
      role,
      permissionMode: 'acceptEdits',
      handlers: [{ name: 'watch', onEvent: (event) => void told.push(event.type) }],
    });

    const results = only(await say(one.session, 'Begin.'), 'tool_result');
    await say(watched.session, `Begin. ${'word '.repeat(400)}`);
    await Promise.all([one.session.close(), watched.session.close()]);

    expect(results.map(({ isError }) => isError)).toEqual([false, false, false]);
    expect(results[0]?.output).toContain('"messages":1');
    expect(await readFile(join(folder, '.artifacts/plan'), 'utf8')).toBe('Do it.');
    expect(told.filter((type) => type === 'compaction' || type === 'notification')).toHaveLength(1);
  });

  it('asks a manager at each call', async () => {
    const manager = new ToolGroupManager();
    const definition = { type: 'function', function: { name: 'echo', description: 'x', parameters: {} } } as const;
    manager.registerGroup('words', { description: 'Words.', tools: [definition] });
    const leave = toolNamed('leave', async () => 'left');
    const options = { role: { ...role, toolGroups: ['words'] }, toolGroups: manager, tools: [echoTool(), leave] };
    const script = [...asks('echo', { text: 'one' }), ...asks('echo', { text: 'two' })];
    const one = await session(script, options);

    const before = only(await say(one.session, 'Begin.'), 'tool_result');
    manager.unregisterGroup('words');
    const after = only(await say(one.session, 'Again.'), 'tool_result');
    await one.session.close();

    expect(before).toMatchObject([{ output: 'one' }]);
    expect(after).toMatchObject([{ isError: true }]);
    expect(offered(one.model)).toEqual([['echo'], ['echo'], [], []]);
  });

  it('is given anew when the session is resumed, and kept by a fork', async () => {
    const store = memoryStore();
    const options = { role: { ...role, toolGroups: ['words'] }, toolGroups, tools: [echoTool()] };
    const first = await session([{ text: 'Done.' }, { text: 'Done.' }], { ...options, store });
    await say(first.session, 'Begin.');
    const fork = await first.session.fork();
    await say(fork, 'Go on.');
    await Promise.all([fork.close(), first.session.close()]);

    const { session: again, model } = await resumed(store, first.session.sessionId, [{ text: 'Done.' }], {
      ...options,
      role: { ...role, toolGroups: ['files'] },
    });
    await say(again, 'Go on.');
    await again.close();

    expect(offered(first.model)).toEqual([['echo']]);
    expect(offered(model)).toEqual([['Read']]);
  });

  it('does not change with the objects it was given as', async () => {
    const own = { ...role, toolGroups: ['words'] };
    const groups = { words: { description: 'Words.', tools: ['echo'] } };
    const one = await session([{ text: 'Done.' }], { role: own, toolGroups: groups, tools: [echoTool()] });

    own.toolGroups.push('files');
    groups.words.tools.push('Read');
    await say(one.session, 'Begin.');
    await one.session.close();

    expect(offered(one.model)).toEqual([['echo']]);
  });

  it('is told of names in groups that no tool bears', async () => {
    const told: string[] = [];
    const one = await session([{ text: 'Done.' }], {
      role,
      toolGroups: { files: { description: 'Files.', tools: ['Red'] } },
      handlers: [{ name: 'w', onEvent: (event) => void (event.type === 'notification' && told.push(event.message)) }],
    });

    await say(one.session, 'Begin.');
    await one.session.close();

    expect(told).toEqual([expect.stringContaining('Red (the nearest is Read)')]);
  });

  it.each<[string, object]>([
    ['role.status', { role: { ...role, status: 'inactive' } }],
    ['role.name', { role: { ...role, name: '' } }],
    ['role', { role: 'writer' }],
    ['role.toolGroups', { role: { ...role, toolGroups: ['workspaces'] } }],
    ['role.toolGroups', { role: { ...role, toolGroups: ['file'] }, toolGroups }],
    ['role.toolGroups', { role: { ...role, toolGroups: ['file'] }, toolGroups: {} }],
    ['toolGroups', { toolGroups }],
    ['toolGroups', { role, toolGroups: 'files' }],
    ['toolGroups.files', { role, toolGroups: { files: ['Read'] } }],
    ['toolGroups.files.tools[0]', { role, toolGroups: { files: { description: 'Files.', tools: [echoTool()] } } }],
    ['tools', { role, tools: [toolNamed('read_file', async () => 'x')] }],
  ])('is refused with the field %s: %o', async (field, options) => {
    const made = session([], options);

    expect(await codeOf(made)).toBe('VALIDATION_ERROR');
    await expect(made).rejects.toMatchObject({ field });
  });
});
