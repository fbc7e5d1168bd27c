export type { RegistryListener } from './change-events.ts';
export { type FunctionCall } from './function-definition.ts';
export { type FunctionBody } from './function-tool.ts';
export type { Invocation, Invoke } from './invoke.ts';
export { type McpCall, type McpContent, type McpErrorFacts } from './mcp-result.ts';
export type { ListFilter } from './metadata.ts';
export { type MetadataToolOptions } from './metadata-tool.ts';
export { type Page, type Paging, paginate } from './paginate.ts';
export type { UnregisterOptions } from './registry-options.ts';
