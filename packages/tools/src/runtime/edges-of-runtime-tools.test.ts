import type { RunContext, Workspace } from '@x/core';
import { collect, memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { callTool, contextOf } from '../../test/call-tool.ts';
import { runtimeTools } from './runtime-tools.ts';

type Made = ReturnType<typeof memoryWorkspace>;

const toolNamed = (name: string) => runtimeTools().find((tool) => tool.name === name)!; // a name of the table
const call = (name: string, input: object, workspace: Workspace) => callTool(toolNamed(name), input, workspace);
const withFiles = (...names: readonly string[]) =>
  memoryWorkspace({ files: Object.fromEntries(names.map((name) => [name, ''])) });
const numbered = (count: number, path = '') => Array.from({ length: count }, (_, index) => `${path}${index}`);

/** A workspace whose directories never end, and how many names were read of them. */
function endless() {
  const facts = { seen: 0 };
  const list: Made['list'] = async function* () {
    for (;;) yield { name: `${facts.seen++}`, kind: 'file' };
  };
  return { facts, workspace: { ...memoryWorkspace(), list } };
}

describe('list_files', () => {
  it.each<[string, Made, string, boolean]>([
    ['is no directory', withFiles('a'), 'a is not a directory.', true],
    ['is not there', withFiles('b'), 'a does not exist (relative paths start at /workspace). Did you mean b?', true],
  ])('refuses what %s', async (_, workspace, output, isError) => {
    expect(await call('list_files', { path: 'a' }, workspace)).toMatchObject({ output, isError });
  });

  it('says that a directory is empty', async () => {
    const workspace = memoryWorkspace();
    await workspace.makeDirectory('a');

    expect(await call('list_files', { path: 'a' }, workspace)).toMatchObject({ output: 'a is empty.', isError: false });
  });

  it('says how many names are shown where they are too many', async () => {
    const long = 'x'.repeat(100);

    const { output } = await call('list_files', {}, withFiles(...numbered(400, long)));

    const shown = output.split('\n').filter((line) => line.startsWith(long)).length;
    expect(shown).toBeLessThan(400);
    expect(output.length).toBeLessThanOrEqual(30_000);
    expect(output).toContain(`\n\n[${shown} names are shown; narrow it by a pattern.]`);
  });

  it('looks at no more than 10,000 names, and says that there may be more', async () => {
    const { facts, workspace } = endless();

    const { output } = await call('list_files', {}, workspace);

    expect(facts.seen).toBe(10_001);
    expect(output).toMatch(/\[[\d,]+ names are shown; narrow it by a pattern\.\]$/);
  });

  it.each([
    [{}, ['.']],
    [{ path: 'src' }, ['src']],
    [{ path: 'src', pattern: '*.ts' }, ['src']],
    [{ path: 'src', pattern: '/etc/*' }, ['/etc']],
  ])('says of %j that it reads %j', (input, paths) => {
    expect(toolNamed('list_files').subject?.(input)).toEqual({ type: 'paths', paths });
  });
});

describe('get_workspace_info', () => {
  it('counts no more than 10,000 names', async () => {
    const { facts, workspace } = endless();

    expect((await call('get_workspace_info', {}, workspace)).data).toMatchObject({ files: 10_000, directories: 0 });
    expect(facts.seen).toBe(10_000);
  });
});

describe('put_artifact', () => {
  it('keeps nothing of what is too long', async () => {
    const workspace = memoryWorkspace();

    const { output, isError } = await call(
      'put_artifact',
      { name: 'a', content: 'x'.repeat(8 * 2 ** 20 + 1) },
      workspace,
    );

    expect({ output, isError }).toEqual({
      output: 'The content has more than 8,388,608 characters; keep it in parts.',
      isError: true,
    });
    expect(await workspace.stat('.artifacts')).toBeUndefined();
  });
});

describe('get_artifact', () => {
  it.each<[string, Made, string]>([
    ['where there are none', memoryWorkspace(), 'There is no artifact a.'],
    ['where a file has the name of their directory', withFiles('.artifacts'), 'There is no artifact a.'],
    [
      'and names those that are there',
      withFiles('.artifacts/c', '.artifacts/b'),
      'There is no artifact a. There are: b, c.',
    ],
    [
      'where it is no text',
      memoryWorkspace({ files: { '.artifacts/a': Uint8Array.of(1, 0, 2) } }),
      'The artifact a is not a text.',
    ],
  ])('fails %s', async (_, workspace, output) => {
    expect(await call('get_artifact', { name: 'a' }, workspace)).toMatchObject({ output, isError: true });
  });

  it('names none of an empty directory, and 50 at most of a full one', async () => {
    const empty = memoryWorkspace();
    await empty.makeDirectory('.artifacts');

    const full = await call('get_artifact', { name: 'a' }, withFiles(...numbered(60, '.artifacts/n')));

    expect((await call('get_artifact', { name: 'a' }, empty)).output).toBe('There is no artifact a.');
    expect(full.output.split(', ')).toHaveLength(50);
  });
});

describe('the tools of command', () => {
  it.each([
    ['run_command', { command: 'wait', timeout: 5 }],
    ['run_javascript', { code: 'wait', timeout: 5 }],
  ])('%s ends after the time that was asked for', async (name, input) => {
    const workspace = memoryWorkspace({ commands: () => ({ output: ['began'], hangs: true }) });

    const { output, isError } = await call(name, input, workspace);

    expect(output).toBe('Timed out after 5 ms; the command and its children were ended. Output so far:\nbegan');
    expect(isError).toBe(true);
  });
});

describe('get_context_status', () => {
  it('says nothing of how full it is where the model does not know what fits', async () => {
    const context = { status: () => ({ messages: 3, tokens: 50 }), compress: async () => undefined };
    const tool = runtimeTools({ context }).find(({ name }) => name === 'get_context_status')!;
    const at = { ...contextOf(memoryWorkspace()), run: { agentName: 'main' } as RunContext };

    const { value } = await collect(tool.execute({}, at));

    expect(value.data).toStrictEqual({ messages: 3, tokens: 50 });
  });
});

describe('http_request', () => {
  const asked = (fetch: Workspace['fetch']) =>
    call('http_request', { url: 'https://a.example/' }, memoryWorkspace({ fetch }));

  it('shows a redirect that leads to no address', async () => {
    const headers = { location: 'https://' };

    const { output } = await asked(async () => new Response(null, { status: 302, headers }));

    expect(output).toBe('302 https://a.example/\nlocation: https://\n\n');
  });

  it('says of a large body that it is no text', async () => {
    const { output } = await asked(async () => new Response(new Uint8Array(30_000)));

    expect(output).toMatch(/\[a binary body of more than 28,000 bytes\]$/);
  });

  it.each<[string, unknown, string]>([
    ['an error without a cause', new Error('no route'), 'no route'],
    ['an error with one', new Error('no route', { cause: new Error('no cable') }), 'no route (no cable)'],
    ['what is no error', 'torn', 'torn'],
  ])('tells the reason of a failure that is %s', async (_, failure, reason) => {
    const { output, isError } = await asked(async () => Promise.reject(failure));

    expect({ output, isError }).toEqual({ output: `GET https://a.example/ failed: ${reason}`, isError: true });
  });

  it('answers also when the rest of a body cannot be called off', async () => {
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(10_000).fill(0x78)),
      cancel: () => Promise.reject(new Error('too late')),
    });

    const { output, isError } = await asked(async () => new Response(body));

    expect(isError).toBe(false);
    expect(output).toContain('Only the first 28,000 bytes');
  });
});
