import type { AgentEvent, RunRecord } from '@x/core';
import { askedBy, type QuestionFacts } from '@x/core/internal';
import type { SessionEvent } from './session-event.ts';

/** An event, and where it belongs in its run. */
export type Told = Pick<SessionEvent, 'agentPath' | 'messageId' | 'callId' | 'event'>;
type Decision = Extract<AgentEvent, { type: 'permission' }>;
type Note = Extract<RunRecord, { type: 'note' }>;

/** The event that a note tells; undefined for notes that are for the run alone. */
export function toldByNote(note: Note, agentPath: readonly string[]): Told | undefined {
  return questionIn(note, agentPath) ?? decisionOf(note, agentPath) ?? checkpointIn(note, agentPath);
}

function checkpointIn({ name, data }: Note, agentPath: readonly string[]): Told | undefined {
  if (name !== 'checkpoint' || typeof data !== 'string') return undefined;
  return { agentPath, messageId: data, event: { type: 'checkpoint', messageId: data } };
}

/** The question about a call that a note holds. */
function questionIn({ name, data }: Note, agentPath: readonly string[]): Told | undefined {
  const id = askedBy(name);
  if (id === undefined || !data) return undefined; // an import has taken it back
  const event = { type: 'question', id, ...(data as QuestionFacts) } as const; // safe: the handlers' own
  return { agentPath, callId: id, event };
}

const PERMISSION = 'permission:';

/** The decision about a call that a note holds. */
function decisionOf({ name, data }: Note, agentPath: readonly string[]): Told | undefined {
  if (!name.startsWith(PERMISSION) || typeof data !== 'object' || data === null) return undefined;
  const id = name.slice(PERMISSION.length);
  const { decision, step, reason, matchedRule, interrupt, input } = data as Decision; // safe: the handlers' own
  const event: Decision = { type: 'permission', id, decision, step, reason };
  if (matchedRule !== undefined) event.matchedRule = matchedRule;
  if (interrupt) event.interrupt = interrupt;
  if (input !== undefined) event.input = input;
  return { agentPath, callId: id, event };
}
