import { messageOf } from '@x/core/internal';
import { queueError } from '../engine/queue-error.ts';

/** The typed error for a failure of BullMQ or of the Redis behind it, `retryable` when it may pass by itself; our own errors pass unchanged. */
export function redisError(cause: unknown): unknown {
  const code = codeOf(cause);
  return queueError(cause, {
    program: 'BullMQ',
    code,
    advice: ADVICE.get(code) ?? '',
    retryable: code === undefined ? !isRefusal(cause) : !LASTING.test(code),
  });
}

/** Of Node, or the first word of a reply of Redis, such as `NOAUTH`. */
function codeOf(cause: unknown): string | undefined {
  const { code, name } = (cause ?? {}) as { readonly code?: unknown; readonly name?: unknown }; // read as possibly absent
  if (typeof code === 'string') return code;
  return name === 'ReplyError' ? /^[A-Z]+/.exec(messageOf(cause))?.[0] : undefined;
}

/** True for what BullMQ never does, whatever the server says. */
function isRefusal(cause: unknown): boolean {
  return messageOf(cause).startsWith('BullMQ: ') || messageOf(cause).startsWith('Redis version ');
}

/** Codes of failures that stay until somebody changes the address, the certificate, the user or the command. */
const LASTING = /^(?:ENOTFOUND|CERT|DEPTH|SELF_SIGNED|UNABLE|ERR|NOAUTH|WRONGPASS|NOPERM|WRONGTYPE)/;

const START = 'Start the server, or correct its address';
const USER = 'Correct the user or the password';
const ADVICE: ReadonlyMap<string | undefined, string> = new Map([
  ['ECONNREFUSED', START],
  ['ENOENT', START],
  ['ENOTFOUND', 'Correct the address of the server'],
  ['NOAUTH', USER],
  ['WRONGPASS', USER],
  ['NOPERM', 'Give this user the right to run scripts on the keys of the queue'],
  ['READONLY', 'The server can only be read, as a replica can: name the primary'],
  ['OOM', 'Raise maxmemory of the server; what the engine keeps is small'],
  ['MISCONF', 'The server cannot write to its disk: look there'],
  ['LOADING', 'The server is starting: try again'],
]);
