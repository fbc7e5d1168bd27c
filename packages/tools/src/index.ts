export { bashTool } from './bash.ts';
export { builtinTools } from './builtin-tools.ts';
export { editTool } from './edit.ts';
export { globTool } from './glob.ts';
export { grepTool } from './grep.ts';
export { readTool } from './read.ts';
export type { ContextDoor } from './runtime/context-tools.ts';
export { isRuntimeTool, type RuntimeToolsOptions, runtimeTools } from './runtime/runtime-tools.ts';
export { writeTool } from './write.ts';
