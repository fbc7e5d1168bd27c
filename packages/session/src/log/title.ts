import { textOf, type UserMessage, ValidationError } from '@x/core';
import { messageFacts } from '@x/core/internal';
import { isKeyed } from '@x/errors';
import * as is from '@x/errors/option-rules';
import { checkValue, type OptionRule } from '@x/errors/option-rules';
import type { EntryBody } from './entry.ts';
import type { SessionState } from './fold.ts';

/** Characters of a title that a host gives. */
const MAX_TITLE = 200;
/** Characters of a title that is made from a message. */
const MAX_TAKEN = 80;
/** Short, and no character of it takes two units or moves the cursor. */
const PLAIN = new RegExp(`^[ -~]{0,${MAX_TAKEN}}$`);
const MAX_KEYS = 32;
/** Of JSON. */
const MAX_METADATA_BYTES = 4096;

/** The title of a session without one: the first line of its first message, or the name or media type of its first part. */
export function titleFrom(message: UserMessage): EntryBody[] {
  const line = /\S[^\r\n]*/.exec(textOf(message))?.[0] ?? partName(message);
  if (PLAIN.test(line)) return titled(line); // nearly always
  // Units first, so that a line of megabytes is not split; then characters, so that none is cut in two.
  const start = Array.from(line.slice(0, 4 * MAX_TAKEN).replaceAll(/\p{Cc}+/gu, ' ')).slice(0, MAX_TAKEN);
  return titled(start.join('').toWellFormed());
}

function titled(line: string): EntryBody[] {
  const title = line.trim();
  return title === '' ? [] : [{ type: 'title', title }];
}

function partName(message: UserMessage): string {
  const [part] = messageFacts(message).parts ?? [];
  return part?.name ?? part?.mediaType ?? '';
}

/** Entries that set title and metadata as the host asks; none when they are set already. */
export function askedFacts(
  { title, metadata }: Pick<SessionState, 'title' | 'metadata'>,
  state: Pick<SessionState, 'title' | 'metadata'> = {},
): EntryBody[] {
  const isNew = metadata !== undefined && JSON.stringify(metadata) !== JSON.stringify(state.metadata);
  return [
    ...(title === undefined || title.toWellFormed() === state.title ? [] : [titleEntry(title)]),
    ...(isNew ? [{ type: 'metadata', metadata: { ...metadata } } as const] : []),
  ];
}

/** The entry that sets a title. Lone surrogates are replaced: not every store keeps them. */
export function titleEntry(title: string): Extract<EntryBody, { type: 'title' }> {
  return { type: 'title', title: title.toWellFormed() };
}

export const TITLE: OptionRule = is.rule(
  `a text of 1 to ${MAX_TITLE} characters`,
  (value) => typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TITLE,
);
export const METADATA: OptionRule = is.rule('an object of texts', isKeyed, (metadata, path) => {
  checkValue(path, metadata, is.recordOf(is.text));
  const keys = Object.keys(metadata as object).length; // safe: it is a record
  if (keys > MAX_KEYS) throw new ValidationError(`${path} has at most ${MAX_KEYS} keys`, path);
  if (Buffer.byteLength(JSON.stringify(metadata)) > MAX_METADATA_BYTES) {
    throw new ValidationError(`${path} is over ${MAX_METADATA_BYTES} bytes of JSON`, path);
  }
});
