export { BaseAgentHandler } from './base-agent-handler.ts';
export {
  type AgentMiddleware,
  type ChatModelAgentState,
  fromMiddleware,
  type InvokableToolEndpoint,
  type ToolMiddleware,
} from './middleware.ts';
export {
  checkMode,
  type PermissionMode,
  type PermissionPolicy,
  permissionModeHandler,
} from './permissions/mode-handler.ts';
export { Pipeline } from './pipeline.ts';
export { type ToolNames, toolNamesHandler } from './tool-names-handler.ts';
export {
  type WithToolsOptions,
  withAfterModelRewriteHistory,
  withBeforeAgent,
  withBeforeModelRewriteHistory,
  withInstruction,
  withInstructionFunc,
  withInvokableToolWrapper,
  withStreamableToolWrapper,
  withTools,
  withToolsFunc,
} from './with.ts';
