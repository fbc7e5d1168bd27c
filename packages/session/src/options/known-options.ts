import { ValidationError } from '@x/core';
import type { OptionRules } from '@x/errors/option-rules';
import * as is from '@x/errors/option-rules';
import type { ForkSessionOptions, SendOptions, StreamOptions } from './types.ts';

/** Options that are planned: refused, so that nobody relies on a guard that does not exist. */
const NOT_YET = new Set(['engine']);

/** Options that people expect here but which are fields of the service's own requests, in their common spellings. */
const OF_THE_SERVICE =
  /^(temperature|(max|maxOutput|maxCompletion)Tokens|top[PK]|seed|stop|stopSequences|(frequency|presence)Penalty|reasoning(Effort)?|thinking|effort|toolChoice)$/;

/** Options of a fork. */
export const FORK: OptionRules<ForkSessionOptions> = {
  messageId: is.rule('the id of a message', (value) => typeof value === 'string'),
  copyRules: is.flag,
  copyCheckpoints: is.flag,
};

/** The kind of options to check. */
export interface Purpose {
  readonly resuming: boolean;
  readonly forking?: boolean;
}

/** Refuses keys that are planned or belong elsewhere, of the options at `path`. @throws ValidationError naming the place */
export function checkKey(key: string, { resuming, forking = false }: Purpose, path?: string): void {
  const refused = (why: string) => new ValidationError(`${key} ${why}`, path === undefined ? key : `${path}.${key}`);
  if (NOT_YET.has(key)) throw refused('is not supported by this version yet; leave it out');
  if (key === 'sessionId' && !resuming) {
    throw refused('is chosen by createSession itself; use resumeSession to go on with a session');
  }
  if (key === 'takeOver' && (!resuming || forking)) {
    throw refused('says how a session is resumed; use it with resumeSession');
  }
  if (Object.hasOwn(FORK, key) && !forking) {
    throw refused('says where a session is forked; use forkSession or session.fork');
  }
  if (OF_THE_SERVICE.test(key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))) {
    throw refused(
      "is a field of the service's own requests, which goes into provider.extraBody, in its spelling there",
    );
  }
}

export const SEND: OptionRules<SendOptions> = {
  signal: is.abortSignal,
  maxTurns: is.count(),
  priority: is.oneOf('now', 'next', 'later'),
  idempotencyKey: is.rule(
    'a text of 1 to 255 characters',
    (value) => typeof value === 'string' && value.length > 0 && value.length <= 255,
  ),
};
export const STREAM: OptionRules<StreamOptions> = { includeThinking: is.anything };
