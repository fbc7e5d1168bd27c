export { type HostWorkspaceOptions, hostWorkspace } from './host-workspace.ts';
export { SandboxUnavailableError } from './sandbox-unavailable-error.ts';
