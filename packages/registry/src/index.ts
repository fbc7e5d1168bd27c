export type { RegistryChange } from './change-events.ts';
export { type FunctionDefinition, type GivenFunctionDefinition, toFunctionDefinition } from './function-definition.ts';
export { functionTool } from './function-tool.ts';
export { type McpResult } from './mcp-result.ts';
export { type McpTool, toMcpTool } from './mcp-tool.ts';
export type {
  ImplementationContext,
  ParameterType,
  RegisterOptions,
  ToolExample,
  ToolImplementation,
  ToolMetadata,
  ToolParameter,
  ToolRegistryEntry,
} from './metadata.ts';
export { metadataTool, toMetadata } from './metadata-tool.ts';
export { parametersSchema } from './parameters.ts';
export type { ExecuteOptions, ToolRegistryOptions } from './registry-options.ts';
export type { SearchOptions } from './search/search-options.ts';
export type { ToolInfo } from './tool-info.ts';
export { ToolRegistry } from './tool-registry.ts';
