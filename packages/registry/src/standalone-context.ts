import { AgentError, type Journal, type ToolContext, type Workspace } from '@x/core';
import type { ImplementationContext } from './metadata.ts';

const ids = Object.freeze({ sessionId: 'registry', agentName: 'registry', depth: 0 });

/** Creates contexts for a tool that runs outside a session: ids and a signal, but no workspace and no journal. */
export function standaloneContexts(toolName: string): (call: ImplementationContext) => ToolContext {
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

function closedWorkspace(closed: () => never): Workspace {
  const later = async (): Promise<never> => closed();
  return Object.freeze({
    cwd: '/',
    env: Object.freeze({}),
    resolve: later,
    readFile: later,
    writeFile: later,
    makeLink: later,
    makeDirectory: later,
    remove: later,
    stat: later,
    list: closed,
    spawn: closed,
    fetch: later,
  });
}

function closedJournal(closed: () => never): Journal {
  const past = Object.freeze({ messages: [], turns: 0, call: () => undefined, note: () => undefined });
  return Object.freeze({ write: async () => closed(), past, claimCallId: (id: string) => id, child: closed });
}
