import type { AgentEvent, RunContext, Tool, ToolContext, ToolResult, Workspace } from '@x/core';
import { collect } from '@x/core/testing';

/** The context of one call; the built-in tools have no use for the run. */
export function contextOf(workspace: Workspace, signal: AbortSignal = new AbortController().signal): ToolContext {
  const { cwd, env } = workspace;
  const run = {} as RunContext; // safe: a built-in tool that touched it would fail at once
  return { sessionId: 's', callId: 'c', idempotencyKey: 's:c', cwd, env, signal, workspace, run };
}

/** Parses the input and runs the tool to its end. */
export async function callTool<Input>(
  tool: Tool<Input>,
  input: Input,
  workspace: Workspace,
  signal?: AbortSignal,
): Promise<ToolResult & { readonly events: readonly AgentEvent[] }> {
  const { events, value } = await collect(tool.execute(tool.inputSchema.parse(input), contextOf(workspace, signal)));
  return { ...value, events };
}

/** What a file holds, as text. */
export async function textIn(workspace: Workspace, path: string): Promise<string> {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await workspace.readFile(path));
}
