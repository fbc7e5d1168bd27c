export { checkKeys, isKeyed } from './check-keys.ts';
export {
  AbortError,
  AgentError,
  type AgentErrorOptions,
  AuthenticationError,
  AuthorizationError,
  isAgentError,
  MCPError,
  messageOf,
  RateLimitError,
  SessionError,
  type SessionErrorCode,
  TimeoutError,
  ToolDisabledError,
  ToolError,
  type ToolErrorCall,
  ToolExecutionError,
  ToolNotFoundError,
  toAgentError,
  ValidationError,
} from './errors.ts';
export { isObject, isRecord } from './is-record.ts';
export { knownNames, nearestName } from './nearest-name.ts';
export {
  dottedPath,
  faultsText,
  issuesError,
  jsonPointer,
  pointerPart,
  shownNames,
  shownPath,
  unknownParameter,
  type ValidationIssue,
  withText,
} from './validation-issue.ts';
