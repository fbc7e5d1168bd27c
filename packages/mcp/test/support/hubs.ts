import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunContext, Tool, ToolContext, ToolResult } from '@x/core';
import { memoryWorkspace } from '@x/core/testing';
import { createMcpHub, type McpHub, type McpHubOptions, memoryToolCache } from '../../src/index.ts';

const open: (() => Promise<void> | void)[] = [];

/** To be called after each test. */
export async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map(async (close) => await close()));
}

/** Closed after the test. */
export function closing(close: () => Promise<void> | void): void {
  open.push(close);
}

/** A hub with a cache of its own that ends processes soon. */
export function hubOf(servers: McpHubOptions['servers'], options: Partial<McpHubOptions> = {}): McpHub {
  const { limits, reconnect, ...rest } = options;
  const hub = createMcpHub({
    servers,
    cache: memoryToolCache(),
    limits: { shutdownMs: 300, ...limits },
    reconnect: { baseMs: 20, maxMs: 100, attempts: 10, ...reconnect },
    ...rest,
  });
  closing(() => hub.close());
  return hub;
}

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'mcp-'));
  closing(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The lines of a journal. */
export function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean);
  } catch {
    return []; // nothing was written yet
  }
}

export function toolOf(hub: McpHub, name: string): Tool {
  const tool = hub.tools().find((one) => one.name === name);
  const names = hub.tools().map((one) => one.name);
  if (!tool) throw new Error(`no ${name} among ${names.join()}`);
  return tool;
}

/** The result of a call, and its progress. */
export async function called(
  tool: Tool,
  input: object = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<ToolResult & { readonly progress: string[] }> {
  const progress: string[] = [];
  const stream = tool.execute(input, contextOf(signal));
  for (;;) {
    const step = await stream.next();
    if (step.done) return { ...step.value, progress };
    if (step.value.type === 'tool_progress') progress.push(step.value.delta);
  }
}

function contextOf(signal: AbortSignal): ToolContext {
  const workspace = memoryWorkspace();
  const run = { signal } as RunContext; // the tools of servers do not use it
  return {
    sessionId: 's',
    callId: 'c',
    idempotencyKey: 's:c',
    cwd: workspace.cwd,
    env: {},
    signal,
    workspace,
    run,
  };
}

/** Waits until it is true. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}
