import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryWorkspace } from '@x/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSession, memoryStore, type SessionOptions } from '../../src/index.ts';
import { echoTool, only, say, scriptedProvider, scriptedSession, toolNamed } from '../support/makers.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'options-'));
  await writeFile(join(folder, 'note.txt'), 'from the folder');
});
afterAll(() => rm(folder, { recursive: true }));

const calls = (...names: string[]) => ({ toolCalls: names.map((name) => ({ name })) });
const bash = { toolCalls: [{ name: 'Bash', input: { command: 'echo $GREETING; pwd' } }] };

/** The outputs of the tools that the first reply asks for. */
async function outputsOf(
  reply: object,
  options: Partial<SessionOptions>,
): Promise<{ output: string; isError?: boolean }[]> {
  const { session } = await scriptedSession((_, turn) => (turn === 1 ? reply : { text: 'Done.' }), options);
  const results = only(await say(session, 'Begin.'), 'tool_result');
  await session.close();
  return results.map(({ output, isError }) => ({ output, ...(isError ? { isError } : {}) }));
}

describe('createSession()', () => {
  it('cwd: is where tools and commands start (S05e)', async () => {
    const where = toolNamed('where', async (_, { cwd }) => cwd, { kind: 'readonly' });
    const read = {
      toolCalls: [{ name: 'where' }, { name: 'Read', input: { file_path: 'note.txt' } }, ...bash.toolCalls],
    };

    const outputs = await outputsOf(read, {
      cwd: folder,
      tools: [where],
      allowedTools: ['where', 'Read', 'Bash'],
      permissionMode: 'bypassPermissions',
    });

    expect(outputs[0]).toEqual({ output: folder });
    expect(outputs[1]?.output).toContain('from the folder');
    expect(outputs[2]?.output).toContain(folder);
  });

  it('permissionMode: decides about tools that change something (S05f)', async () => {
    const own = toolNamed('own', async () => 'ran');
    const judge = (permissionMode?: SessionOptions['permissionMode']) =>
      outputsOf(
        { toolCalls: [...calls('own').toolCalls, ...bash.toolCalls] },
        {
          tools: [own],
          allowedTools: ['own', 'Bash'],
          ...(permissionMode ? { permissionMode } : {}),
        },
      );

    expect((await judge()).map(({ isError = false }) => isError)).toEqual([false, true]);
    expect((await judge('plan')).map(({ isError = false }) => isError)).toEqual([true, true]);
    expect((await judge('bypassPermissions')).map(({ isError = false }) => isError)).toEqual([false, false]);
  });

  it('allowedTools: only these are offered and run; none when empty, all when absent (S05g)', async () => {
    const offered = async (options: Partial<SessionOptions>) => {
      const { provider, models } = scriptedProvider(() => ({ text: 'Done.' }));
      const session = await createSession({
        provider,
        model: 'm',
        store: memoryStore(),
        tools: [echoTool()],
        ...options,
      });
      await say(session, 'Begin.');
      return models[0]?.requests[0]?.tools.map(({ name }) => name);
    };

    expect(await offered({ allowedTools: ['echo', 'Read'] })).toEqual(['Read', 'echo']);
    expect(await offered({ allowedTools: [] })).toEqual([]);
    expect(await offered({})).toEqual([
      'Read',
      'Write',
      'Edit',
      'Bash',
      'Glob',
      'Grep',
      'WebFetch',
      'TodoWrite',
      'echo',
    ]);
    expect(await outputsOf(bash, { allowedTools: ['Read'], permissionMode: 'bypassPermissions' })).toEqual([
      { output: 'Bash is not available', isError: true },
    ]);
  });

  it('disallowedTools: beat allowedTools, hidden and refused (S05h, P05)', async () => {
    const options = { tools: [echoTool()], allowedTools: ['echo'], disallowedTools: ['echo'] };
    const { session, model } = await scriptedSession([{ text: 'Done.' }], options);
    await say(session, 'Begin.');

    const outputs = await outputsOf({ toolCalls: [{ name: 'echo', input: { text: 'a' } }] }, options);

    expect(model.requests[0]?.tools).toEqual([]);
    expect(outputs).toEqual([{ output: 'echo is not available', isError: true }]);
  });

  it('tools: are offered and run, definitions and tools alike (S05i)', async () => {
    const { name, description, inputSchema } = toolNamed('plain', async () => '');
    const plain = { name, description, inputSchema, kind: 'readonly' as const, execute: async () => 'plain ran' };

    expect(await outputsOf(calls('plain'), { tools: [plain] })).toEqual([{ output: 'plain ran' }]);
  });

  it('env: is laid over a minimal environment, for tools and commands (S05q)', async () => {
    process.env['SECRET_OF_THE_HOST'] = 'hidden';
    const look = toolNamed('look', async (_, { env }) => JSON.stringify(env), { kind: 'readonly' });

    const outputs = await outputsOf(
      { toolCalls: [{ name: 'look' }, ...bash.toolCalls] },
      {
        tools: [look],
        allowedTools: ['look', 'Bash'],
        permissionMode: 'bypassPermissions',
        env: { GREETING: 'hello there' },
      },
    );

    delete process.env['SECRET_OF_THE_HOST'];
    expect(outputs[0]?.output).toContain('"GREETING":"hello there"');
    expect(outputs[0]?.output).toContain('"PATH"');
    expect(outputs[0]?.output).not.toContain('SECRET_OF_THE_HOST');
    expect(outputs[1]?.output).toContain('hello there');
  });

  it('workspace: replaces the doors of the tools', async () => {
    const workspace = memoryWorkspace({
      files: { 'a.txt': 'in memory' },
      commands: { 'echo hi': { output: 'scripted' } },
    });
    const toolCalls = [
      { name: 'Read', input: { file_path: '/workspace/a.txt' } },
      { name: 'Bash', input: { command: 'echo hi' } },
    ];

    const outputs = await outputsOf(
      { toolCalls },
      { workspace, allowedTools: ['Read', 'Bash'], permissionMode: 'bypassPermissions' },
    );

    expect(outputs[0]?.output).toContain('in memory');
    expect(outputs[1]?.output).toBe('scripted');
  });

  it.each([1, 3, undefined])(
    'maxParallelTools: %s calls run at a time, 8 without it (Q02)',
    async (maxParallelTools) => {
      let [running, most] = [0, 0];
      const busy = toolNamed(
        'busy',
        async () => {
          most = Math.max(most, ++running);
          await new Promise((resolve) => setTimeout(resolve, 5));
          running--;
        },
        { kind: 'readonly' },
      );

      await outputsOf(calls(...Array.from({ length: 12 }, () => 'busy')), {
        tools: [busy],
        ...(maxParallelTools ? { maxParallelTools } : {}),
      });

      expect(most).toBe(maxParallelTools ?? 8);
    },
  );

  it('toolTimeout: ends a tool with an error result, and the run goes on (Q06)', async () => {
    const forever = toolNamed('forever', () => new Promise(() => undefined));

    expect(await outputsOf(calls('forever'), { tools: [forever], toolTimeout: 20 })).toEqual([
      { output: 'Execution timeout after 20ms; the tool was stopped', isError: true },
    ]);
  });

  it('maxToolOutputBytes: bounds what a result keeps; 1 MiB without it (S51)', async () => {
    const talk = toolNamed('talk', async () => 'x'.repeat(3_000_000));
    const size = async (options: Partial<SessionOptions>) =>
      (await outputsOf(calls('talk'), { tools: [talk], ...options }))[0]!.output.length;

    expect(await size({ maxToolOutputBytes: 100 })).toBeLessThan(200);
    expect(await size({})).toBeGreaterThan(1024 * 1024 - 1);
    expect(await size({})).toBeLessThan(1024 * 1024 + 200);
  });
});
