import { AgentError, isAgentError } from '@x/core';
import { messageOf } from '@x/core/internal';

/** About a failure of the program that keeps a queue. */
export interface QueueFailure {
  /** Such as `pg-boss`. */
  readonly program: string;
  /** Of the server or of Node. */
  readonly code: string | undefined;
  /** A sentence without its end; may be empty. */
  readonly advice: string;
  /** It may pass by itself. */
  readonly retryable: boolean;
}

/** The typed error for a failure of a queue; our own errors pass unchanged. */
export function queueError(cause: unknown, { program, code, advice, retryable }: QueueFailure): unknown {
  if (isAgentError(cause)) return cause;
  const shown = code === undefined ? '' : ` (${code})`;
  const what = messageOf(cause).replace(/\.$/, '');
  return new AgentError(`The queue of runs could not use ${program}${shown}: ${what}. ${advice}`.trim(), {
    code: 'ENGINE_FAILED',
    statusCode: 503,
    cause,
    ...(retryable ? { retryable } : {}),
  });
}

/** Loads an optional peer of an engine; `peers` are all that it needs. @throws AgentError `ENGINE_FAILED` when it is not installed */
export async function loadPeer<T>(load: () => Promise<T>, program: string, ...peers: readonly string[]): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const needed = `${peers.length > 1 ? 'the packages' : 'the package'} ${peers.join(' and ')}`;
    throw new AgentError(`An engine on ${program} needs ${needed}; install it: npm install ${peers.join(' ')}`, {
      code: 'ENGINE_FAILED',
      statusCode: 503,
      cause,
    });
  }
}
