import { AgentError } from '@x/core';

/** A promise that was not kept. */
export function broken(message: string): AgentError {
  return new AgentError(message, { code: 'CONTRACT_BROKEN' });
}
