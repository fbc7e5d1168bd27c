import { AgentError, type AgentEvent, type Journal, type Tool, type ToolContext } from '@x/core';
import { closedWorkspace, valueOfResult } from '@x/core/internal';
import { readToEnd } from '@x/core/streams';
import type { ImplementationContext, ToolImplementation } from './metadata.ts';

const ids = Object.freeze({ sessionId: 'registry', agentName: 'registry', depth: 0 });

/** Makes what a tool is given when it runs outside a session: ids and a signal, but no doors and no journal. */
function standaloneContexts(toolName: string): (call: ImplementationContext) => ToolContext {
  const closed = (what: string) => (): never => {
    throw new AgentError(`Tool ${toolName} needs a ${what}; run it in a session`, { code: 'NOT_IN_A_SESSION' });
  };
  const workspace = closedWorkspace(closed('workspace'));
  const { cwd, env } = workspace;
  const journal = closedJournal(closed('journal'));
  const emit = (): void => undefined;
  return ({ signal = new AbortController().signal, idempotencyKey }) => {
    const callId = crypto.randomUUID();
    const run = { ...ids, runId: callId, messageId: callId, signal, journal, emit };
    return {
      sessionId: 'registry',
      callId,
      idempotencyKey: idempotencyKey ?? `registry:${callId}`,
      cwd,
      env,
      signal,
      workspace,
      run,
    };
  };
}

function closedJournal(closed: () => never): Journal {
  const past = Object.freeze({ messages: [], turns: 0, call: () => undefined, note: () => undefined });
  return Object.freeze({ write: async () => closed(), past, claimCallId: (id: string) => id, child: closed });
}

/** A tool as an implementation, for input that its schema has parsed: runs it outside a session, throws its error results. */
export function implementationOf(tool: Tool): ToolImplementation {
  let contextFor: ReturnType<typeof standaloneContexts> | undefined; // most of many tools are never run
  return async (input, context = {}) => {
    contextFor ??= standaloneContexts(tool.name);
    const { onProgress } = context;
    const see = onProgress && ((event: AgentEvent) => event.type === 'tool_progress' && onProgress(event.delta));
    return valueOfResult(tool.name, input, await readToEnd(tool.execute(input, contextFor(context)), see));
  };
}

/** The implementation with a caller that follows its progress, whatever an `invoke` passes on to it. */
export function followed(
  implementation: ToolImplementation,
  onProgress: ImplementationContext['onProgress'],
): ToolImplementation {
  return onProgress ? (input, context) => implementation(input, { ...context, onProgress }) : implementation;
}
