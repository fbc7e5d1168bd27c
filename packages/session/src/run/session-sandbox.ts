import type { ToolCall, Workspace } from '@x/core';
import {
  type CommandPlacement,
  type Containment,
  commandPlacement,
  openContainment,
  sandboxedWorkspace,
} from '@x/sandbox/internal';
import { builtinTools } from '@x/tools';
import { secretPlaces } from '../host/home.ts';
import type { SessionOptions } from '../options/types.ts';

/** The sandbox of a session: found to work when the session was made. */
export interface SessionSandbox {
  readonly containment: Containment;
  readonly placement: CommandPlacement;
}

/**
 * Opens the sandbox of a session; undefined unless it is enabled.
 * @throws ValidationError when the settings cannot be held; SandboxUnavailableError
 */
export async function sessionSandbox({ sandbox }: SessionOptions, cwd: string): Promise<SessionSandbox | undefined> {
  if (!sandbox?.enabled) return undefined;
  const placement = await commandPlacement(sandbox, isContained);
  return {
    containment: await openContainment(sandbox, { cwd, secrets: secretPlaces(), prefix: 'sandbox.' }),
    placement,
  };
}

/** True for a call of the built-in Bash, whose commands run in the workspace it is given; a replacement may start processes itself. */
function isContained({ tool }: ToolCall): boolean {
  return tool?.name === 'Bash' && builtinTools().includes(tool);
}

/** The workspace of command hooks. */
export function workspaceOfHooks(workspace: Workspace, sandbox: SessionSandbox | undefined): Workspace {
  return sandbox?.containment.settings.hooks ? sandboxedWorkspace(workspace, sandbox.containment) : workspace;
}
