import { defineTool, objectSchema, type Tool, type ToolContext, type ToolStream } from '@x/core';
import { collect, memoryWorkspace } from '@x/core/testing';
import { describe, expect, it, vi } from 'vitest';
import type { ToolModule } from './module.ts';
import { Runtime } from './runtime.ts';

const patience = { timeout: 45_000 };

const CLICK = { type: 'object', properties: { at: { type: 'number' } } };

describe('Runtime.toolsForAgent', () => {
  it('gives a session the tools of the agent, with the kind that each has', async () => {
    const { runtime, agentId } = await started(['workspace', 'chrome']);

    const tools = runtime.toolsForAgent(agentId);

    expect(tools.map(({ name, kind }) => [name, kind])).toEqual([
      ['read_file', 'readonly'],
      ['write_file', 'execute'],
      ['list_files', 'execute'],
      ['get_workspace_info', 'execute'],
      ['click', 'execute'],
    ]);
    expect(runtime.toolsForAgent('nobody')).toEqual([]);
  });

  it('runs them with what the session gives, and answers with their value', async () => {
    const { runtime, agentId } = await started(['workspace', 'chrome']);

    expect(await run(runtime, agentId, 'read_file', { path: 'a' })).toMatchObject({
      output: 'a of /work',
      isError: false,
    });
    expect(await run(runtime, agentId, 'click', { at: 1 })).toMatchObject({
      data: { clicked: { at: 1 } },
      isError: false,
    });
    expect(await run(runtime, agentId, 'write_file', { path: 'a', content: '' })).toMatchObject({
      isError: true,
      data: { error: 'tool_not_implemented' },
    });
  });

  it('decides at each call: what the agent has lost is an error result', async () => {
    const { runtime, agentId, roleId } = await started(['workspace', 'chrome']);
    const tools = runtime.toolsForAgent(agentId);
    await runtime.updateRole(roleId, { toolGroups: [] });

    const results = await Promise.all(
      ['read_file', 'click'].map((name) => {
        const input = name === 'click' ? {} : { path: 'a' };
        return collect(tools.find((tool) => tool.name === name)!.execute(input, context()));
      }),
    );

    expect(results.map(({ value }) => value)).toMatchObject([
      { output: '工具 read_file 对此岗位不可用', isError: true },
      { output: '工具 click 对此岗位不可用', isError: true },
    ]);
  });

  it('ends what the tools of an agent are doing when the agent ends', async () => {
    const signals: AbortSignal[] = [];
    const stuck: Tool = {
      ...defineTool({
        name: 'read_file',
        description: 'Hangs.',
        inputSchema: objectSchema({}),
        execute: async () => '',
      }),
      async *execute(_, { signal }): ToolStream {
        signals.push(signal);
        return await new Promise<never>((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        );
      },
    };
    const runtime = new Runtime({ tools: [stuck] });
    await runtime.init();
    const { id: roleId } = await runtime.createRole({ name: 'a', rolePrompt: '' });
    const { id } = runtime.createAgent({ roleId });
    const offered = runtime.toolsForAgent(id).find(({ name }) => name === 'read_file')!;
    const waiting = Promise.allSettled([
      collect(offered.execute({}, context())),
      runtime.executeToolCall({ agent: { id }, toolContext: context() }, 'read_file', {}),
    ]);
    await vi.waitFor(() => expect(signals).toHaveLength(2), patience);

    await runtime.terminateAgent(id);

    expect(await waiting).toMatchObject([{ status: 'rejected' }, { value: { error: 'aborted' } }]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('checks what a handed-in tool is called with, in a session as well', async () => {
    const { runtime, agentId } = await started(['workspace']);
    const called = { agent: { id: agentId }, toolContext: context() };

    expect(await runtime.executeToolCall(called, 'read_file', { path: 5 })).toMatchObject({
      error: 'validation_error',
    });
    expect(await runtime.executeToolCall(called, 'read_file', { path: 'a' })).toBe('a of /work');
  });

  it('runs a handed-in tool outside a session too, with the workspace of the context when there is one', async () => {
    const { runtime, agentId } = await started(['workspace']);
    const call = (more: object) =>
      runtime.executeToolCall({ agent: { id: agentId }, ...more }, 'read_file', { path: 'a' });

    expect(await call({ toolContext: context() })).toBe('a of /work');
    expect(await call({})).toBe('a of /');
    expect(
      await runtime.executeToolCall({ agent: { id: agentId }, toolContext: context() }, 'read_file', {}),
    ).toMatchObject({
      error: 'validation_error',
    });
  });
});

async function started(toolGroups: readonly string[]) {
  const read = defineTool({
    name: 'read_file',
    description: 'Reads.',
    inputSchema: objectSchema({ path: { type: 'string', description: 'which' } }),
    kind: 'readonly',
    execute: async ({ path }, { cwd }) => `${path} of ${cwd}`,
  });
  const chrome: ToolModule = {
    name: 'chrome',
    getToolDefinitions: () => [
      { type: 'function', function: { name: 'click', description: 'Clicks.', parameters: CLICK } },
      { type: 'function', function: { name: 'no name', description: 'Left out.', parameters: { type: 'object' } } },
    ],
    executeToolCall: (_, __, args) => ({ clicked: args }),
    init: () => undefined,
    shutdown: () => undefined,
  };
  const runtime = new Runtime({ tools: [read], config: { modules: [chrome] } });
  await runtime.init();
  const { id: roleId } = await runtime.createRole({ name: 'a', rolePrompt: '', toolGroups });
  return { runtime, roleId, agentId: runtime.createAgent({ roleId }).id };
}

async function run(runtime: Runtime, agentId: string, name: string, args: unknown) {
  const tool = runtime.toolsForAgent(agentId).find((one) => one.name === name);
  const { value } = await collect(tool!.execute(tool!.inputSchema.parse(args), context()));
  return value;
}

function context(): ToolContext {
  const workspace = memoryWorkspace({ cwd: '/work' });
  const { signal } = new AbortController();
  // safe: nothing in these tests looks at the run
  return {
    sessionId: 's',
    callId: 'c',
    idempotencyKey: 's:c',
    cwd: workspace.cwd,
    env: {},
    signal,
    workspace,
    run: {} as never,
  };
}
