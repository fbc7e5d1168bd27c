export * from '@x/core';
export * from '@x/executor';
export * from '@x/handlers';
export { jsonSchema } from '@x/json-schema';
export * from '@x/models';
export * from '@x/registry';
export {
  createSandbox,
  hostWorkspace,
  type NetworkSettings,
  type SandboxSettings,
  SandboxUnavailableError,
} from '@x/sandbox';
export * from '@x/session';
export * from '@x/tool-groups';
export * from '@x/tools';
