export { type HostWorkspaceOptions, hostWorkspace } from './host-workspace.ts';
export { type DriverReason, SandboxUnavailableError } from './sandbox-unavailable-error.ts';
