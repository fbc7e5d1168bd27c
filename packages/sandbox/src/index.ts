export { type HostWorkspaceOptions, hostWorkspace } from './host-workspace.ts';
