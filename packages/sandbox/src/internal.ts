/** For the packages of the SDK alone. */
export { type CommandPlace, type CommandPlacement, commandPlacement } from './command-placement.ts';
export { type ContainedProgram, type Containment, containedProgram, openContainment } from './containment.ts';
export { makeDirectory, removeEmpty, syncDirectory } from './doors/make-directory.ts';
export { bytesOfPath, textOfPath } from './doors/path-bytes.ts';
export { commandEnvironment } from './environment.ts';
export { type GuardedFetchOptions, guardedFetch } from './guarded-fetch.ts';
export { type LinkedPath, linkedOut } from './policy/linked-out.ts';
export { homeDirectory, realPlace } from './policy/real-place.ts';
export { checkSettings } from './policy/settings.ts';
export { killTree } from './process/kill-tree.ts';
export type { StartedCommand } from './process/running-process.ts';
export { type StartOptions, startWatched } from './process/start-watched.ts';
export { sandboxHandler } from './sandbox-handler.ts';
export { sandboxedWorkspace } from './sandboxed-workspace.ts';
