import type { AgentEvent, RunContext } from '@x/core';
import type { CompactionOptions } from '@x/handlers';
import type { Followers } from '../follow/followers.ts';
import type { SessionLog } from '../log/session-log.ts';

/** Tells those who follow a session that it is about to be condensed: the run's own events come only when that is done. */
export function compactionNotice(log: SessionLog, followers: Followers): NonNullable<CompactionOptions['onStart']> {
  return ({ tokensBefore: tokens }, run) => {
    const message = 'The conversation is being condensed';
    const event: AgentEvent = { type: 'notification', kind: 'compaction_started', message, data: { tokens } };
    followers.tell(wrapped(event, run), log);
  };
}

/** The event inside of the calls that have started the run, as the events of subagents come. */
function wrapped(event: AgentEvent, { parent, agentName }: RunContext): AgentEvent {
  if (!parent) return event;
  return wrapped({ type: 'subagent', callId: parent.callId, agentName, event }, parent.run);
}
