import type { AgentEvent, RunRecord } from '@x/core';
import { askedBy, present, type QuestionFacts } from '@x/core/internal';
import type { FollowedEvent, SessionEvent } from './session-event.ts';

/** Where an event belongs. */
export type Place = Pick<SessionEvent, 'agentPath' | 'messageId' | 'callId'>;
export type Told = readonly [FollowedEvent, Place];
type Note = Extract<RunRecord, { type: 'note' }>;

/** The event that a note tells; undefined for notes that are for the run alone. */
export function toldByNote(note: Note, agentPath: readonly string[]): Told | undefined {
  return questionIn(note, agentPath) ?? decisionOf(note, agentPath) ?? checkpointIn(note, agentPath);
}

function checkpointIn({ name, data }: Note, agentPath: readonly string[]): Told | undefined {
  if (name !== 'checkpoint' || typeof data !== 'string') return undefined;
  return [
    { type: 'checkpoint', messageId: data },
    { agentPath, messageId: data },
  ];
}

/** The question about a call that a note holds. */
function questionIn({ name, data }: Note, agentPath: readonly string[]): Told | undefined {
  const id = askedBy(name);
  if (id === undefined || !data) return undefined; // an import has taken it back
  return [
    { type: 'question', id, ...(data as QuestionFacts) }, // safe: the handlers' own
    { agentPath, callId: id },
  ];
}

const PERMISSION = 'permission:';

/** The decision about a call that a note holds. */
function decisionOf({ name, data }: Note, agentPath: readonly string[]): Told | undefined {
  if (!name.startsWith(PERMISSION) || typeof data !== 'object' || data === null) return undefined;
  const id = name.slice(PERMISSION.length);
  const { decision, step, reason, matchedRule, input } = data as Extract<AgentEvent, { type: 'permission' }>; // the handlers' own
  return [
    { type: 'permission', id, decision, step, reason, ...present({ matchedRule, input }) },
    { agentPath, callId: id },
  ];
}
