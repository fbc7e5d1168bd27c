import type { AgentEvent, AgentHandler, RunContext } from '@x/core';

/** Everything that a run tells its observers, and whose run it was. */
export interface Watched {
  readonly handler: AgentHandler;
  readonly events: AgentEvent[];
  /** The same, as `agent: type` lines. */
  readonly lines: string[];
}

export function watched(): Watched {
  const events: AgentEvent[] = [];
  const lines: string[] = [];
  const onEvent = (event: AgentEvent, { agentName }: RunContext) => {
    events.push(event);
    lines.push(`${agentName}: ${event.type}`);
  };
  return { handler: { name: 'watch', onEvent }, events, lines };
}

/** The texts of the notifications of one kind, in their order. */
export function notificationsIn(events: readonly AgentEvent[], kind: string): string[] {
  return events.flatMap((event) => (event.type === 'notification' && event.kind === kind ? [event.message] : []));
}

/** The event itself, or what the subagent in it has told. */
export function innermost(event: AgentEvent): AgentEvent {
  return event.type === 'subagent' ? innermost(event.event) : event;
}
