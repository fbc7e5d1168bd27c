import { type Journal, type Message, type UserMessage, userMessage, ValidationError } from '@x/core';
import { ownMessage } from './input-copy.ts';
import { memoryJournal } from './memory-journal.ts';

/** The start of a run without a session. */
export interface ChatBeginning {
  readonly journal: Journal;
  readonly input: readonly UserMessage[];
}

/**
 * Splits the input: earlier messages become the history; the user messages at the end are the run's input, which handlers judge.
 * @throws ValidationError when there is nothing to answer
 */
export function chatBeginning(said: string | readonly Message[], journal: Journal | undefined): ChatBeginning {
  if (typeof said !== 'string' && !Array.isArray(said)) {
    throw new ValidationError('The input must be a text or a list of messages', 'input');
  }
  const messages = typeof said !== 'string' ? said : said === '' ? [] : [userMessage(said)];
  const cut = messages.findLastIndex((message) => message?.role !== 'user') + 1;
  const history = messages.slice(0, cut);
  const input = messages
    .slice(cut)
    .filter((message) => message.role === 'user')
    .map(ownMessage);
  if (journal && history.length > 0) {
    throw new ValidationError('With a journal, which brings the history, the input must be user messages', 'input');
  }
  const isAnswered = history.length === 0 || history.at(-1)?.role === 'assistant';
  if (input.length === 0 && (journal ? journal.past.messages.length === 0 : isAnswered)) {
    throw new ValidationError('There is nothing to answer; end the input with a user message', 'input');
  }
  return { journal: journal ?? memoryJournal({ messages: history }), input };
}
