import type { RunContext, ToolContext } from '@x/core';
import { silentLogger } from '@x/core/internal';
import { collect, memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { callTool, contextOf, textIn } from '../../test/call-tool.ts';
import type { ContextDoor } from './context-tools.ts';
import { type RuntimeToolsOptions, runtimeTools } from './runtime-tools.ts';

type Made = ReturnType<typeof memoryWorkspace>;

function call(name: string, input: object, workspace: Made, options?: RuntimeToolsOptions) {
  return callTool(toolNamed(name, options), input, workspace);
}

function toolNamed(name: string, options?: RuntimeToolsOptions) {
  return runtimeTools(options).find((tool) => tool.name === name)!;
}

const GROUPS = [
  ['put_artifact', 'get_artifact'],
  ['read_file', 'write_file', 'list_files', 'get_workspace_info'],
  ['run_command', 'run_javascript'],
  ['http_request'],
  ['compress_context', 'get_context_status'],
  ['console_print'],
];

describe('runtimeTools', () => {
  it('are those of the built-in groups but org_management, each with a strict schema and a description', () => {
    const tools = runtimeTools();

    expect(tools.map(({ name }) => name)).toEqual(GROUPS.flat());
    for (const tool of tools) {
      expect(tool.description.length).toBeGreaterThan(50);
      expect(tool.inputSchema.json).toMatchObject({ type: 'object', additionalProperties: false });
    }
  });

  it('have a subject wherever they touch something, and say what they do to the world', () => {
    const inputs = { name: 'a', path: 'a', command: 'ls', url: 'https://a.example/', code: '1' };
    const facts = runtimeTools().map(({ name, kind, effect, subject }) => [name, kind, effect, subject?.(inputs)]);

    expect(facts).toEqual([
      ['put_artifact', 'write', 'idempotent', { type: 'paths', paths: ['.artifacts/a'] }],
      ['get_artifact', 'readonly', 'pure', { type: 'paths', paths: ['.artifacts/a'] }],
      ['read_file', 'readonly', 'pure', { type: 'paths', paths: ['a'] }],
      ['write_file', 'write', 'idempotent', { type: 'paths', paths: ['a'] }],
      ['list_files', 'readonly', 'pure', { type: 'paths', paths: ['a'] }],
      ['get_workspace_info', 'readonly', 'pure', { type: 'paths', paths: ['.'] }],
      ['run_command', 'execute', 'non_idempotent', { type: 'command', line: 'ls' }],
      ['run_javascript', 'execute', 'non_idempotent', { type: 'command', line: 'node --input-type=module -' }],
      ['http_request', 'execute', 'non_idempotent', { type: 'url', url: 'https://a.example/' }],
      ['compress_context', 'readonly', 'idempotent', undefined],
      ['get_context_status', 'readonly', 'pure', undefined],
      ['console_print', 'readonly', 'idempotent', undefined],
    ]);
  });

  it.each([
    [{ artifactDir: 'x' }, /unknown artifactDir; did you mean artifactDirectory/],
    [{ artifactDirectory: '' }, /must be the path/],
    [{ print: 'x' }, /must be a function/],
  ])('refuses the options %o', (options, message) => {
    expect(() => runtimeTools(options as never)).toThrow(message);
  });
});

describe('the tools of workspace', () => {
  it('read, write and list as Read, Write and Glob do, and point at each other', async () => {
    const workspace = memoryWorkspace({ files: { 'src/a.ts': 'one\ntwo', 'b.md': '' } });

    const answers = [
      await call('write_file', { path: 'src/c.ts', content: 'x' }, workspace),
      await call('read_file', { path: 'src/a.ts', offset: 2 }, workspace),
      await call('read_file', { path: 'src' }, workspace),
      await call('list_files', {}, workspace),
      await call('list_files', { pattern: '**/*.ts' }, workspace),
      await call('list_files', { path: 'nowhere' }, workspace),
    ];

    expect(answers.map(({ output }) => output)).toEqual([
      'Created src/c.ts (1 line, 1 byte).',
      expect.stringContaining('2\ttwo'),
      'src is a directory; use list_files, to see what is in it.',
      'b.md\nsrc/',
      'src/c.ts\nsrc/a.ts',
      expect.stringContaining('nowhere does not exist'),
    ]);
  });

  it('tell of the environment only the names', async () => {
    const workspace = memoryWorkspace({ files: { a: '', 'd/b': '' }, env: { TOKEN: 'secret' } });

    const { data } = await call('get_workspace_info', {}, workspace);

    expect(data).toEqual({ cwd: '/workspace', files: 1, directories: 1, environment: ['TOKEN'] });
  });
});

describe('the tools of command', () => {
  it('run a line and stream what it prints', async () => {
    const workspace = memoryWorkspace({ commands: { it: { output: ['a', 'b'], code: 3 } } });

    const { output, isError, events } = await call('run_command', { command: 'it' }, workspace);

    expect({ output, isError }).toEqual({ output: 'Exit code 3\nab', isError: true });
    expect(events).toHaveLength(2);
    expect(toolNamed('run_command').streaming).toBe(true);
  });

  it('hand JavaScript to a process, through its stdin, and never run it here', async () => {
    const seen: string[] = [];
    const workspace = memoryWorkspace({
      commands: (line, { stdin }) => {
        seen.push(line, new TextDecoder().decode(stdin));
        return { output: '3' };
      },
    });

    const { output } = await call('run_javascript', { code: 'globalThis.wasHere = 1' }, workspace);

    expect(output).toBe('3');
    expect(seen).toEqual(['node --input-type=module -', 'globalThis.wasHere = 1']);
    expect(Object.hasOwn(globalThis, 'wasHere')).toBe(false);
  });
});

describe('the tools of artifact', () => {
  it('keep a text for whoever asks later, in a file of the workspace', async () => {
    const workspace = memoryWorkspace();

    const put = await call('put_artifact', { name: 'plan.md', content: 'Do it.' }, workspace);
    const again = await call('put_artifact', { name: 'plan.md', content: 'Do it.' }, workspace);
    const got = await call('get_artifact', { name: 'plan.md' }, workspace);

    expect([put.isError, again.isError, got.output]).toEqual([false, false, 'Do it.']);
    expect(await textIn(workspace, '.artifacts/plan.md')).toBe('Do it.');
  });

  it('never change what is kept', async () => {
    const workspace = memoryWorkspace({ files: { 'kept/plan.md': 'Do it.' } });
    const options = { artifactDirectory: 'kept' };

    const put = await call('put_artifact', { name: 'plan.md', content: 'Undo it.' }, workspace, options);

    expect(put).toMatchObject({ isError: true, output: expect.stringContaining('Choose another name') });
    expect((await call('get_artifact', { name: 'plan.md' }, workspace, options)).output).toBe('Do it.');
  });

  it.each(['../plan', 'a/b', '', '.hidden', 'a'.repeat(101)])('take no name that leads elsewhere: %j', async (name) => {
    const workspace = memoryWorkspace();

    expect(await call('put_artifact', { name, content: 'x' }, workspace)).toMatchObject({ isError: true });
    expect(await call('get_artifact', { name }, workspace)).toMatchObject({ isError: true });
  });

  it('keep one of two that agents put under one name at the same time', async () => {
    const memory = memoryWorkspace();
    const put = (content: string) => call('put_artifact', { name: 'plan.md', content }, workspace);
    const workspace: Made = {
      ...memory,
      async writeFile(path, content, options) {
        if (new TextDecoder().decode(content) === 'Undo it.') await first; // it has looked already
        await memory.writeFile(path, content, options);
      },
    };
    const first = put('Do it.');

    const results = await Promise.all([first, put('Undo it.')]);

    expect(results.map(({ isError }) => isError)).toEqual([false, true]);
    expect(await textIn(workspace, '.artifacts/plan.md')).toBe('Do it.');
  });

  it('show a long one in parts, and say which there are when one is missing', async () => {
    const workspace = memoryWorkspace({ files: { '.artifacts/long': 'x'.repeat(30_000) } });

    const first = await call('get_artifact', { name: 'long' }, workspace);
    const rest = await call('get_artifact', { name: 'long', offset: 28_000 }, workspace);
    const missing = await call('get_artifact', { name: 'short' }, workspace);

    expect(first.output).toContain('Read on with offset 28000');
    expect(rest.output).toBe('x'.repeat(2_000));
    expect(missing).toMatchObject({ isError: true, output: 'There is no artifact short. There are: long.' });
  });
});

describe('the tools of context', () => {
  const run = { agentName: 'main' } as RunContext;
  async function answer(name: string, input: object, context?: ContextDoor) {
    const tool = toolNamed(name, context ? { context } : {});
    const at: ToolContext = { ...contextOf(memoryWorkspace()), run };
    return (await collect(tool.execute(tool.inputSchema.parse(input), at))).value;
  }

  it('ask the host of the run, with what the model wants kept', async () => {
    const wishes: unknown[] = [];
    const door: ContextDoor = {
      status: () => ({ messages: 3, tokens: 50, contextWindow: 200 }),
      compress: async (asking, wish) => void wishes.push(asking, wish),
    };

    const compressed = await answer('compress_context', { instructions: 'names' }, door);
    const status = await answer('get_context_status', {}, door);

    expect(compressed.output).toContain('before the next model call');
    expect(wishes).toEqual([run, { instructions: 'names' }]);
    expect(status.data).toEqual({ messages: 3, tokens: 50, contextWindow: 200, filled: '25 %' });
  });

  it('say so where nobody manages the context', async () => {
    expect(await answer('compress_context', {})).toMatchObject({ isError: true });
    expect(await answer('get_context_status', {})).toMatchObject({ isError: true });
  });
});

describe('console_print', () => {
  it('tells observers, the logger and the host’s function, and nobody else', async () => {
    const lines: unknown[] = [];
    const info = (_: object, text?: string) => void lines.push(text);
    const logger = { ...silentLogger, info };
    const print = (text: string) => void lines.push(`printed ${text}`);

    const { output, events } = await call('console_print', { text: 'Hi.' }, memoryWorkspace(), { logger, print });

    expect(output).toBe('Shown.');
    expect(events).toEqual([{ type: 'notification', kind: 'console', message: 'Hi.' }]);
    expect(lines).toEqual(['Hi.', 'printed Hi.']);
  });

  it('refuses what would flood them', async () => {
    const { isError, events } = await call('console_print', { text: 'x'.repeat(10_001) }, memoryWorkspace());

    expect(isError).toBe(true);
    expect(events).toEqual([]);
  });
});
