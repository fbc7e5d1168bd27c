import { AgentError, type Journal, type ToolContext, type Workspace } from '@x/core';

/** What a tool is given when it runs outside a session: ids and a signal, but no doors and no journal. */
export function standaloneContext(toolName: string, signal: AbortSignal = new AbortController().signal): ToolContext {
  const callId = crypto.randomUUID();
  const closed = (what: string) => (): never => {
    throw new AgentError(`Tool ${toolName} needs a ${what}; run it in a session`, { code: 'NOT_IN_A_SESSION' });
  };
  const workspace = closedWorkspace(closed('workspace'));
  return {
    sessionId: 'registry',
    callId,
    idempotencyKey: `registry:${callId}`,
    cwd: workspace.cwd,
    env: workspace.env,
    signal,
    workspace,
    run: {
      sessionId: 'registry',
      runId: callId,
      agentName: 'registry',
      messageId: callId,
      depth: 0,
      signal,
      journal: closedJournal(closed('journal')),
      emit: () => undefined,
    },
  };
}

function closedWorkspace(closed: () => never): Workspace {
  const later = async (): Promise<never> => closed();
  return {
    cwd: '/',
    env: {},
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
  };
}

function closedJournal(closed: () => never): Journal {
  return {
    write: async () => closed(),
    past: { messages: [], turns: 0, call: () => undefined, note: () => undefined },
    claimCallId: (id) => id,
    child: closed,
  };
}
