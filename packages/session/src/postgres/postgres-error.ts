import { AgentError, isAgentError } from '@x/core';
import { messageOf } from '@x/core/internal';

/**
 * What a call does. `read`: it records nothing. `repeatable`: the same call once more finds out what has been recorded. `once`: neither.
 */
export type CallKind = 'read' | 'repeatable' | 'once';

/**
 * The typed error for a failure of the server or the connection to it; our own errors pass unchanged. It is `retryable` when the cause may
 * pass by itself, and nothing was recorded or the same call finds out.
 */
export function postgresError(cause: unknown, kind: CallKind): unknown {
  if (isAgentError(cause)) return cause;
  const { code } = (cause ?? {}) as { readonly code?: unknown }; // read as possibly absent
  const isUnknown = kind !== 'read' && isLostOnTheWay(code);
  const retryable = isPassing(code) && (kind !== 'once' || !isUnknown);
  const shown = typeof code === 'string' ? ` (${code})` : '';
  const what = messageOf(cause);
  return new AgentError(
    `The session store could not use Postgres${shown}: ${what}. ${recordedBy(kind, isUnknown)}${adviceFor(code, what)}`.trim(),
    { code: 'STORE_FAILED', statusCode: 503, cause, ...(retryable ? { retryable } : {}) },
  );
}

function recordedBy(kind: CallKind, isUnknown: boolean): string {
  if (kind === 'read') return '';
  if (!isUnknown) return 'Nothing of it was recorded. ';
  if (kind === 'once') return 'Whether it was recorded is not known: look before trying again. ';
  return 'Whether it was recorded is not known: the same call once more finds out. ';
}

/** A code of five characters is one of the server (postgresql.org/docs/current/errcodes-appendix.html), any other of Node. */
function isOfServer(code: unknown): code is string {
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code);
}

/** True when the statement may have been carried out although its answer did not come. */
function isLostOnTheWay(code: unknown): boolean {
  return !isOfServer(code) || code.startsWith('08') || SHUTDOWNS.includes(code);
}

/** Of the server: it ends the connection, after a crash too. */
const SHUTDOWNS: readonly string[] = ['57P01', '57P02'];
/** Classes and codes: connection, resources, and what others cause (a deadlock, a lock, a cancelled statement). */
const PASSING: readonly string[] = ['08', '53', '40001', '40P01', '55P03', '57014', '57P01', '57P02', '57P03'];
/** Of Node: the address is wrong, or the certificate. */
const LASTING = /^(?:ENOTFOUND|ERR_|CERT|DEPTH|SELF_SIGNED|UNABLE)/;

/** True when the cause may pass by itself; `code` of the server or of Node. */
export function isPassing(code: unknown): boolean {
  if (isOfServer(code)) return PASSING.some((one) => code.startsWith(one));
  return typeof code !== 'string' || !LASTING.test(code);
}

/** The advice for an error, a sentence without its end; empty when nothing is known. */
export function adviceFor(code: unknown, message: string): string {
  if (PREPARED.test(message)) return 'A pooler in transaction mode needs the option prepared: false';
  return typeof code === 'string' ? (ADVICE.get(code) ?? '') : '';
}

const PREPARED = /prepared statement .* (?:does not exist|already exists)/;
const START = 'Start the server, or correct its address';
const USER = 'Correct the user or the password';
const MIGRATE =
  'The tables are missing: open the store once with migrate: true, as a user who may create them, or correct the option schema';

const ADVICE: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', START],
  ['ENOENT', START],
  ['ENOTFOUND', 'Correct the address of the server'],
  ['28P01', USER],
  ['28000', USER],
  ['3D000', 'Create the database, or correct its name'],
  ['42501', 'Give this user the right to use (and, for migrate: true, to create) the schema and its tables'],
  ['25006', 'The server can only be read, as a standby can: name the primary'],
  ['53100', 'Free some space on the disk of the server'],
  ['53300', 'Lower the option connections, raise max_connections of the server, or put a pooler in front of it'],
  ['57P03', 'The server is starting or stopping: try again'],
  ['42P01', MIGRATE],
  ['3F000', MIGRATE],
]);
