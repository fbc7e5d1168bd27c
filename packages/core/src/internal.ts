export {
  type AgentErrorOptions,
  checkKeys,
  dottedPath,
  issuesError,
  jsonPointer,
  knownNames,
  messageOf,
  nearestName,
  pointerPart,
  shownNames,
  type ToolErrorCall,
  toAgentError,
  unknownParameter,
} from '@x/errors';
export { admitComputer, admitModelOptions, admitRequest, refusedComputer } from './admit-options.ts';
export { askedModel, markAsked } from './asked-model.ts';
export { type Deadline, deadline, LONGEST_TIMER_MS, unlessAborted } from './bounded.ts';
export { closedWorkspace } from './closed-workspace.ts';
export { type CompactionRecord, compacted } from './compacted.ts';
export { faultOfMedia, isTool, type ToolOutputStream, toResult } from './define-tool.ts';
export type { InternalEvent, UserMessageMessage } from './event.ts';
export { type FailureFacts, failureFacts } from './failure-facts.ts';
export { frozen } from './frozen.ts';
export { type CommandsFound, foundText, notRun, unknownEffect } from './interrupted-calls.ts';
export { jsonFault } from './json-fault.ts';
export { jsonText } from './json-text.ts';
export { checkJsonValue } from './json-value.ts';
export { quietly, silentLogger } from './logger.ts';
export {
  addUsage,
  type FileBlock,
  type LinkBlock,
  type MediaBlock,
  noUsage,
  type ProviderData,
  type RateLimit,
  type RateLimits,
  type ServiceToolStep,
  type TokenLogprob,
  toolMessage,
} from './message.ts';
export { faultOfReply, isUserMessage } from './message-faults.ts';
export {
  bytesOfBase64,
  isPicture,
  type MediaKind,
  type MessageFacts,
  mediaKind,
  mediaOf,
  messageFacts,
  type PartFacts,
  partFacts,
  partText,
  shownMessage,
} from './message-parts.ts';
export { MODEL_ERROR_CODES, type ModelErrorCode } from './model-error-codes.ts';
export {
  MODEL_OPTIONS,
  ownModelOptions,
  type ReasoningOption,
  withModelOptions,
} from './model-options.ts';
export { type Field, type ObjectOf } from './object-schema.ts';
export { onAbort } from './on-abort.ts';
export { type Present, present } from './present.ts';
export {
  answerNote,
  askedBy,
  callWaits,
  isCallWaits,
  permissionNote,
  type QuestionFacts,
  questionNote,
} from './question.ts';
export { resultMedia } from './result-media.ts';
export { type BackoffOptions, backoffMs, markRetried, wasRetried } from './retry.ts';
export { rootRun } from './root-run.ts';
export { hasSameItems } from './same-items.ts';
export { type AnyStandardSchema, type OutputOf, toSchema, zodSchema } from './schema.ts';
export { applyRecord, emptyScope, type KnownCall, type ScopeState, unusedCallId } from './scope-records.ts';
export { SERVICE_TOOL_TYPES, type SearchPlace, type ServiceMcpServer, type ServiceTool } from './service-tools.ts';
export type { DisplaySize } from './tool.ts';
export type { ToolSubject } from './tool-result.ts';
export { type ToolSchema, toToolSchema } from './tool-schema.ts';
export { valueOfResult } from './value-of-result.ts';
export type { MarkedCommands, PathOptions } from './workspace.ts';
