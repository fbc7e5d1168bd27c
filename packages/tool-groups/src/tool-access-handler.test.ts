import { fc, test } from '@fast-check/vitest';
import {
  type AgentConfig,
  defineTool,
  objectSchema,
  type RunContext,
  type RunRecord,
  type Tool,
  type ToolCall,
  type ToolNext,
  ValidationError,
} from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { toolAccessHandler } from './tool-access-handler.ts';

const TOOLS = ['a', 'b', 'toString'];

describe('toolAccessHandler', () => {
  test.prop([fc.subarray(TOOLS)])('offers and runs exactly what is allowed', async (allowed) => {
    const handler = toolAccessHandler({ isAllowed: (name) => allowed.includes(name) });
    const config = configOf(TOOLS.map(tool));

    await handler.beforeAgent?.(config, run());
    const ran = await Promise.all(TOOLS.map((name) => called(handler, callOf(name))));

    expect(config.tools.map((meta) => meta.tool.name)).toEqual(allowed);
    expect(TOOLS.filter((_, at) => ran[at]?.value.output === 'ran')).toEqual(allowed);
  });

  it('refuses with the text of the runtime, tells it and records it', async () => {
    const records: RunRecord[] = [];
    const handler = toolAccessHandler({ isAllowed: () => false });

    const { events, value } = await called(handler, callOf('a'), run(records));

    const reason = '工具 a 对此岗位不可用';
    const decision = { decision: 'deny', step: 'tool_access', reason };
    expect(value).toEqual({ output: reason, isError: true, interrupted: 'not_run' });
    expect(events).toEqual([{ type: 'permission', id: 'c1', ...decision }]);
    expect(records).toEqual([{ type: 'note', name: 'permission:c1', data: decision }]);
  });

  it('decides anew at each call, by the name asked for and by that of the tool', async () => {
    const allowed = new Set(['a']);
    const handler = toolAccessHandler({ isAllowed: (name) => allowed.has(name) });

    const first = await called(handler, callOf('a'));
    const renamed = await called(handler, { ...callOf('b'), name: 'a' });
    allowed.clear();
    const second = await called(handler, callOf('a'));

    expect([first, renamed, second].map(({ value }) => value.isError)).toEqual([false, true, true]);
  });

  it('takes anything but true for a refusal, and refuses to be made without a decision', async () => {
    const handler = toolAccessHandler({ isAllowed: () => 'yes' as never });

    expect((await called(handler, callOf('a'))).value.isError).toBe(true);
    expect(() => toolAccessHandler({} as never)).toThrow(ValidationError);
    expect(() => toolAccessHandler({ isAllowed: () => true, isDenied: () => true } as never)).toThrow('isDenied');
  });
});

async function called(handler: ReturnType<typeof toolAccessHandler>, call: ToolCall, context = run()) {
  const next: ToolNext = async function* () {
    return { output: 'ran', isError: false };
  };
  return collect(handler.wrapToolCall?.(call, next, context) ?? next(call));
}

function tool(name: string): Tool {
  return defineTool({ name, description: 'some', inputSchema: objectSchema({}), execute: async () => 'ran' });
}

function configOf(tools: readonly Tool[]): AgentConfig {
  return {
    instruction: '',
    tools: tools.map((one) => ({ tool: one, returnDirectly: false })),
    input: [],
    options: { maxTurns: 1 },
  };
}

function callOf(name: string): ToolCall {
  const { signal } = new AbortController();
  return { id: 'c1', name, input: {}, tool: tool(name), workspace: {} as never, signal }; // safe: nothing touches the world
}

function run(records: RunRecord[] = []): RunContext {
  return {
    sessionId: 's',
    runId: 'r',
    agentName: 'main',
    messageId: 'm',
    depth: 0,
    signal: new AbortController().signal,
    // safe: the handler only writes
    journal: { write: async (...written: RunRecord[]) => void records.push(...written) } as never,
    emit: () => undefined,
  };
}
