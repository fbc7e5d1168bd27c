import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AbortError, type AgentEvent, type Tool, type ToolStream, type Workspace } from '@x/core';
import { hostWorkspace } from '@x/sandbox';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bashTool, editTool, globTool, grepTool, readTool, runtimeTools, writeTool } from '../src/index.ts';
import { callTool, contextOf } from './call-tool.ts';

/** Prints the id of a child that lives long. */
const TREE = 'sleep 100 & echo $!; wait';

let workspace: Workspace;
beforeEach(async () => {
  workspace = hostWorkspace({ cwd: await mkdtemp(join(tmpdir(), 'tools-')), env: { MARK: 'given' } });
});
afterEach(() => rm(workspace.cwd, { recursive: true, force: true }));

/** A process that was killed is gone in a moment, not in the same one. */
async function ended(pid: number): Promise<boolean> {
  await vi.waitUntil(() => !isAlive(pid), { timeout: 15_000 });
  return true;
}

const call = <Input>(tool: Tool<Input>, input: Input) => callTool(tool, input, workspace);

describe('the tools on the host', () => {
  it('write, find, change and read a file', async () => {
    await call(writeTool(), { file_path: 'src/a.ts', content: 'const one = 1;\n' });
    await call(editTool(), { file_path: 'src/a.ts', old_string: 'one = 1', new_string: 'two = 2' });

    expect((await call(globTool(), { pattern: '**/*.ts' })).output).toBe('src/a.ts');
    expect((await call(grepTool(), { pattern: 'two' })).output).toBe('src/a.ts:1:const two = 2;');
    expect((await call(readTool(), { file_path: 'src/a.ts' })).output).toBe('     1\tconst two = 2;');
  });

  it('run JavaScript in a process of its own, which sees the workspace', async () => {
    const tool = runtimeTools().find(({ name }) => name === 'run_javascript')!;
    const code = "import { basename } from 'node:path'; console.log(process.env.MARK, basename('a/b'), process.pid);";

    const { output, isError } = await call(tool, { code });
    const failed = await call(tool, { code: "throw new Error('no')" });

    expect(output).toMatch(/^given b \d+\n$/);
    expect([isError, output.includes(String(process.pid))]).toEqual([false, false]);
    expect(failed).toMatchObject({ isError: true, output: expect.stringContaining('Exit code 1') });
  });

  it('keep the mode of a file that is edited', async () => {
    await call(writeTool(), { file_path: 'run.sh', content: 'echo a\n' });
    await chmod(join(workspace.cwd, 'run.sh'), 0o755);

    await call(editTool(), { file_path: 'run.sh', old_string: 'a', new_string: 'b' });

    expect((await stat(join(workspace.cwd, 'run.sh'))).mode & 0o777).toBe(0o755);
  });

  it('list the newest file first', async () => {
    for (const [index, name] of ['b', 'c', 'a'].entries()) {
      await call(writeTool(), { file_path: name, content: '' });
      await utimes(join(workspace.cwd, name), 1_000 + index, 1_000 + index);
    }

    expect((await call(globTool(), { pattern: '*' })).output).toBe('a\nc\nb');
  });

  it('run a command with the environment of the session', async () => {
    expect((await call(bashTool(), { command: 'echo "$MARK in $(pwd -P)"' })).output).toBe(
      `given in ${await workspace.resolve('.')}\n`,
    );
  });

  it('hold code and both channels of a failing command', async () => {
    const { output, isError } = await call(bashTool(), { command: 'echo out; sleep 0.03; echo err >&2; exit 7' });

    expect({ output, isError }).toEqual({ output: 'Exit code 7\nout\nerr\n', isError: true });
  });

  it('end the whole tree of a command at its timeout (T05d)', async () => {
    const { output, isError } = await call(bashTool(), { command: TREE, timeout: 1500 });

    expect(isError).toBe(true);
    expect(output).toMatch(/^Timed out after 1,500 ms/);
    expect(await ended(Number(output.trim().split('\n').at(-1)))).toBe(true);
  });

  it('end the tree when the call is aborted', async () => {
    const abort = new AbortController();
    const stream = bashTool().execute({ command: TREE }, contextOf(workspace, abort.signal));
    const pid = await firstNumber(stream);

    abort.abort();

    await expect(stream.next()).rejects.toBeInstanceOf(AbortError);
    expect(await ended(pid)).toBe(true);
  });

  it('end the tree when their reader leaves', async () => {
    const stream = bashTool().execute({ command: TREE }, contextOf(workspace));
    const pid = await firstNumber(stream);

    await stream.return({ output: '', isError: true });

    expect(await ended(pid)).toBe(true);
  });

  it('stay within their bound on a flood', async () => {
    const { output } = await call(bashTool(), {
      command: 'head -c 10000000 /dev/zero | tr "\\0" x; echo; echo the end',
    });

    expect(output.length).toBeLessThanOrEqual(30_000);
    expect(output).toMatch(/^x+\n\n\[9,9\d\d,\d{3} characters cut here\..*\]\n\nx+\nthe end\n$/);
  });

  it('refuse a pipe instead of waiting for it', async () => {
    await call(bashTool(), { command: 'mkfifo pipe' });

    expect(await call(readTool(), { file_path: 'pipe' })).toMatchObject({
      isError: true,
      output: 'pipe is not a regular file.',
    });
  });
});

async function firstNumber(stream: ToolStream): Promise<number> {
  const { value } = await stream.next();
  return Number((value as Extract<AgentEvent, { type: 'tool_progress' }>).delta);
}

/** False also for a process that has ended and is not collected yet. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
