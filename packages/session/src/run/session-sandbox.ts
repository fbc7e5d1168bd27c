import type { ToolCall, Workspace } from '@x/core';
import type { PermissionPolicy } from '@x/handlers';
import { closedPaths } from '@x/handlers/internal';
import type { McpHubOptions } from '@x/mcp';
import {
  type CommandPlacement,
  type Containment,
  commandPlacement,
  containedProgram,
  homeDirectory,
  linkedOut,
  openContainment,
  sandboxedWorkspace,
} from '@x/sandbox/internal';
import { builtinTools } from '@x/tools';
import { secretPlaces } from '../host/home.ts';
import type { SessionStore } from '../log/session-store.ts';
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
export async function sessionSandbox(
  { sandbox }: SessionOptions,
  { cwd, store }: { readonly cwd: string; readonly store: SessionStore },
): Promise<SessionSandbox | undefined> {
  if (!sandbox?.enabled) return undefined;
  const openedAt = Date.now();
  const placement = await commandPlacement(sandbox, {
    isContained,
    linkedOut: (paths) => linkedOut(paths, containment.policy, openedAt),
  });
  const ofStore = store.files?.flatMap((path) => ['', '-wal', '-shm', '-journal'].map((end) => path + end)) ?? [];
  const secrets = [...secretPlaces(), ...ofStore]; // a store may lie in the working directory
  const containment = await openContainment(sandbox, { cwd, secrets, prefix: 'sandbox.' });
  return { containment, placement };
}

/** True for a call of the built-in Bash, whose commands run in the workspace it is given; a replacement may start processes itself. */
function isContained({ tool }: ToolCall): boolean {
  return tool?.name === 'Bash' && builtinTools().includes(tool);
}

/** The paths that the session's Read rules close: commands do not see them either. Undefined when no rule does. */
export function hiddenPaths(
  { containment: { policy } }: SessionSandbox,
  { deny = [], kindOf = () => undefined }: PermissionPolicy,
  workspace: Workspace,
): (() => Promise<readonly string[]>) | undefined {
  if (!deny.some(({ pattern, toolName }) => pattern?.paths && kindOf(toolName) === 'readonly')) return undefined;
  const roots = [policy.root, ...policy.files.write, ...policy.files.read];
  return () => closedPaths(roots, { deny, kindOf, home: homeDirectory(), workspace });
}

/** The workspace of the session's tools. */
export function workspaceOfTools(workspace: Workspace, sandbox: SessionSandbox | undefined): Workspace {
  return sandbox ? sandboxedWorkspace(workspace, sandbox.containment, sandbox.placement.isOpen) : workspace;
}

/** The workspace of command hooks. */
export function workspaceOfHooks(workspace: Workspace, sandbox: SessionSandbox | undefined): Workspace {
  return sandbox?.containment.settings.hooks ? sandboxedWorkspace(workspace, sandbox.containment) : workspace;
}

/** How MCP servers are started behind the wall; undefined when they are to run outside of it. */
export function launchInside(sandbox: SessionSandbox | undefined): McpHubOptions['launch'] {
  if (!sandbox?.containment.settings.mcp) return undefined;
  return async ({ argv, cwd, env, ...launch }) => {
    const { finish, ...inside } = await containedProgram(sandbox.containment, { command: argv, cwd, env });
    const ended = (end: Parameters<typeof finish>[0]) => void finish(end).catch(() => undefined); // the state of the server says why
    return { ...launch, ...inside, ended };
  };
}
