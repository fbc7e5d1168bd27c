import { answerNote } from '@x/core/internal';
import type { AnswerNote } from '@x/handlers/internal';
import type { EntryBody } from '../log/entry.ts';
import type { SessionLog } from '../log/session-log.ts';
import type { InboxItem } from '../log/session-store.ts';
import { answerId, openQuestions, withdrawn } from './open-questions.ts';

/**
 * Records the answers among the waiting items with the questions that they answer, and drops those to a question that is not open any more.
 * A waiting message with priority `now` withdraws the questions that are open then.
 */
export async function takeAnswers(log: SessionLog, items: readonly InboxItem[]): Promise<void> {
  const given = items.flatMap(({ message, answer }) => (answer ? [{ ...answer, messageId: message.id }] : []));
  if (given.length > 0) {
    const open = openQuestions(log.state);
    const notes = given.flatMap(({ callId, answer, messageId }): EntryBody[] => {
      const question = open.find((one) => answerId(one) === messageId);
      if (!question) return [];
      const { key, askedAt } = question;
      const data: AnswerNote = { key, askedAt, answer };
      return [{ type: 'record', scope: question.agentPath, record: { type: 'note', name: answerNote(callId), data } }];
    });
    const ids = given.map(({ messageId }) => messageId);
    await log.append(notes, ids);
  }
  if (!items.some(({ priority }) => priority === 'now')) return;
  const refusals = withdrawn(log.state);
  if (refusals.length > 0) await log.append(refusals);
}

/** True when a run that waits for answers has something to do with what waits in its inbox. */
export function goesOnWith(items: readonly InboxItem[]): boolean {
  return items.some(({ answer, priority }) => answer !== undefined || priority === 'now');
}
