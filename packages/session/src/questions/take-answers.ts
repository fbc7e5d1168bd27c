import type { Question } from '@x/core';
import { answerNote } from '@x/core/internal';
import type { AnswerNote } from '@x/handlers/internal';
import type { EntryBody } from '../log/entry.ts';
import type { SessionLog } from '../log/session-log.ts';
import type { InboxItem } from '../log/session-store.ts';
import { answerId, openQuestions, withdrawn } from './open-questions.ts';

/**
 * Records the answers among the waiting items with the questions that they answer, and drops those to a question that is not open any more.
 * A waiting message with priority `now` withdraws the questions that are open, and comes before all answers behind it.
 */
export async function takeAnswers(log: SessionLog, items: readonly InboxItem[]): Promise<void> {
  const given = items.filter(({ answer }) => answer);
  const stop = items.findIndex(({ priority }) => priority === 'now');
  const inTime = stop < 0 ? given : items.slice(0, stop).filter(({ answer }) => answer);
  if (given.length > 0) {
    const ids = given.map(({ message }) => message.id);
    await log.append(notesOf(inTime, openQuestions(log.state)), ids);
  }
  const refusals = stop < 0 ? [] : withdrawn(log.state);
  if (refusals.length > 0) await log.append(refusals);
}

function notesOf(items: readonly InboxItem[], open: readonly Question[]): EntryBody[] {
  return items.flatMap(({ answer, message }): EntryBody[] => {
    const question = open.find((one) => answerId(one) === message.id);
    if (!question || !answer) return [];
    const { callId, key, askedAt, agentPath: scope } = question;
    const data: AnswerNote = { key, askedAt, answer: answer.answer };
    return [{ type: 'record', scope, record: { type: 'note', name: answerNote(callId), data } }];
  });
}

/** The questions that may still be answered: not answered by what waits in the inbox, nor withdrawn by it. */
export function answerable(questions: readonly Question[], items: readonly InboxItem[]): readonly Question[] {
  if (items.some(({ priority }) => priority === 'now')) return [];
  const answered = new Set(items.map(({ message }) => message.id));
  return questions.filter((one) => !answered.has(answerId(one)));
}
