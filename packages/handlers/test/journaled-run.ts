import type { AgentEvent, Message, ModelRequest, RunContext, RunRecord } from '@x/core';

export interface JournaledRunOptions {
  readonly signal?: AbortSignal;
  readonly parent?: RunContext;
  /** Notes of an interrupted attempt. */
  readonly notes?: Readonly<Record<string, unknown>>;
  /** What the journal does instead of taking records. */
  readonly failure?: Error;
}

/** A run whose records and emitted events can be looked at. */
export function journaledRun(options: JournaledRunOptions = {}) {
  const { signal = new AbortController().signal, parent, notes = {}, failure } = options;
  const records: RunRecord[] = [];
  const emitted: AgentEvent[] = [];
  const past = new Map(Object.entries(notes));
  const run: RunContext = {
    sessionId: 's',
    runId: 'r',
    agentName: 'main',
    messageId: 'm',
    depth: parent ? parent.depth + 1 : 0,
    ...(parent ? { parent: { run: parent, callId: 'c' } } : {}),
    signal,
    journal: {
      past: { messages: [], turns: 0, call: () => undefined, note: (name) => past.get(name) },
      async write(...written) {
        if (failure) throw failure;
        records.push(...written);
      },
      claimCallId: (id) => id,
      child: () => run.journal,
    },
    emit: (event) => void emitted.push(event),
  };
  return { run, records, emitted };
}

/** A run of a subagent that call `c1` of its parent has started. */
export function subagent(parent: RunContext) {
  const made = journaledRun({ parent, signal: parent.signal });
  return { ...made, run: { ...made.run, agentName: 'reviewer', parent: { run: parent, callId: 'c1' } } };
}

/** A request without tools. */
export function requestOf(messages: readonly Message[] = [], signal?: AbortSignal): ModelRequest {
  return { instruction: 'Be short.', messages, tools: [], signal: signal ?? new AbortController().signal };
}
