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
export { parametersSchema } from './parameters.ts';
export type { ToolInfo } from './tool-info.ts';
export {
  type ExecuteOptions,
  ToolRegistry,
  type ToolRegistryOptions,
  type UnregisterOptions,
} from './tool-registry.ts';
