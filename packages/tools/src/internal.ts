export type { ContextDoor } from './runtime/context-tools.ts';
export { isRuntimeTool, type RuntimeToolsOptions } from './runtime/runtime-tools.ts';
