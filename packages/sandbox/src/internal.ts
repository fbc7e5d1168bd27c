/** For the packages of the SDK alone. */
export { type CommandPlace, type CommandPlacement, commandPlacement } from './command-placement.ts';
export { type Containment, openContainment } from './containment.ts';
export { makeDirectory, removeEmpty, syncDirectory } from './doors/make-directory.ts';
export { bytesOfPath, textOfPath } from './doors/path-bytes.ts';
export { type LinkedPath, linkedOut } from './policy/linked-out.ts';
export { checkSettings } from './policy/settings.ts';
export { sandboxHandler } from './sandbox-handler.ts';
export { sandboxedWorkspace } from './sandboxed-workspace.ts';
