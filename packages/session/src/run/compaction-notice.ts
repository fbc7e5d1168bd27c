import type { AgentEvent, RunContext } from '@x/core';
import type { CompactionOptions } from '@x/handlers';
import { feedOf } from '../follow/feed.ts';
import type { SessionLog } from '../log/session-log.ts';
import type { SessionStore } from '../log/session-store.ts';

interface Followed {
  readonly store: SessionStore;
  readonly sessionId: string;
}

/** Tells those who follow a session that it is about to be condensed: the run's own events come only when that is done. */
export function compactionNotice(
  log: SessionLog,
  { store, sessionId }: Followed,
): NonNullable<CompactionOptions['onStart']> {
  return ({ tokensBefore: tokens }, run) => {
    const message = 'The conversation is being condensed';
    const event: AgentEvent = { type: 'notification', kind: 'compaction_started', message, data: { tokens } };
    feedOf(store, sessionId)?.tell(wrapped(event, run), log.begun);
  };
}

/** The event inside of the calls that have started the run, as the events of subagents come. */
function wrapped(event: AgentEvent, { parent, agentName }: RunContext): AgentEvent {
  if (!parent) return event;
  return wrapped({ type: 'subagent', callId: parent.callId, agentName, event }, parent.run);
}
