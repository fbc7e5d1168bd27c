export type { RegistryChange, RegistryListener } from './change-events.ts';
export {
  type FunctionCall,
  type FunctionDefinition,
  type GivenFunctionDefinition,
  toFunctionDefinition,
} from './function-definition.ts';
export { type FunctionBody, functionTool } from './function-tool.ts';
export type { Invocation, Invoke } from './invoke.ts';
export { type McpCall, type McpContent, type McpErrorFacts, type McpResult } from './mcp-result.ts';
export { type McpTool, toMcpTool } from './mcp-tool.ts';
export type {
  ImplementationContext,
  ListFilter,
  ParameterType,
  RegisterOptions,
  ToolExample,
  ToolImplementation,
  ToolMetadata,
  ToolParameter,
  ToolRegistryEntry,
} from './metadata.ts';
export { type MetadataToolOptions, metadataTool, toMetadata } from './metadata-tool.ts';
export { type Page, type Paging, paginate } from './paginate.ts';
export { parametersSchema } from './parameters.ts';
export type { ExecuteOptions, ToolRegistryOptions, UnregisterOptions } from './registry-options.ts';
export type { SearchOptions } from './search/search-options.ts';
export type { ToolInfo } from './tool-info.ts';
export { ToolRegistry } from './tool-registry.ts';
