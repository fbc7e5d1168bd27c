export {
  type CreateSandboxOptions,
  createSandbox,
  type Sandbox,
  type SandboxResult,
  type SandboxRunOptions,
} from './create-sandbox.ts';
export type { SandboxViolation } from './driver/driver.ts';
export { type DriverReason, SandboxUnavailableError } from './driver/sandbox-unavailable-error.ts';
export { type HostWorkspaceOptions, hostWorkspace } from './host-workspace.ts';
export type { FilesystemSettings, NetworkSettings, SandboxLimits, SandboxSettings } from './policy/settings.ts';
