import { AgentError } from '@x/core';

/** The error for a broken promise. */
export function broken(message: string): AgentError {
  return new AgentError(message, { code: 'CONTRACT_BROKEN' });
}
