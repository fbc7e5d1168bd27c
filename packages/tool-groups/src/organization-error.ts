import { AgentError } from '@x/core';

const STATUS = {
  AGENT_NOT_FOUND: 404,
  AGENT_EXISTS: 409,
  RESERVED_AGENT_ID: 403,
  ROLE_NOT_FOUND: 404,
  ROLE_INACTIVE: 409,
  ROLE_EXISTS: 409,
  TOOL_GROUPS_EXCEEDED: 403,
  UNKNOWN_TOOL_GROUP: 400,
  NOT_ITS_CREATOR: 403,
  AGENT_TERMINATING: 409,
  AGENT_LIMIT: 429,
  AGENT_DEPTH_LIMIT: 409,
  INVALID_RECIPIENT: 400,
  SPAWN_FAILED: 502,
  SEND_FAILED: 502,
  TERMINATE_FAILED: 502,
  NO_ORGANIZATION: 501,
  RUNTIME_NOT_READY: 409,
  RUNTIME_CLOSED: 410,
} as const;

/** The codes of `OrganizationError`, each with its HTTP status. */
export type OrganizationErrorCode = keyof typeof STATUS;

/** An action that this organisation does not allow, or something it does not have; see `code`. */
export class OrganizationError extends AgentError {
  override readonly name = 'OrganizationError';
  declare readonly code: OrganizationErrorCode;

  constructor(message: string, options: { code: OrganizationErrorCode; cause?: unknown; details?: unknown }) {
    super(message, { statusCode: STATUS[options.code], ...options });
  }
}

export function agentNotFound(agentId: string): OrganizationError {
  return new OrganizationError(`There is no agent ${agentId}`, { code: 'AGENT_NOT_FOUND' });
}
