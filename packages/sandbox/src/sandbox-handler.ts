import type { AgentHandler, ToolCall, Workspace } from '@x/core';
import type { CommandPlacement } from './command-placement.ts';
import type { Containment } from './containment.ts';
import type { SandboxViolation } from './driver/driver.ts';
import { SandboxRefusal } from './policy/sandbox-refusal.ts';
import { reportedViolations } from './policy/violations.ts';
import { spawnInside } from './sandboxed-workspace.ts';

const OFFER =
  '\n\n[This ran in a sandbox. If it failed because of that, call again with exactly the same command: it is then asked whether it may run outside.]';

/** The parts of a session's sandbox. */
export interface SandboxHandlerOptions {
  readonly containment: Containment;
  readonly placement: CommandPlacement;
  /** The workspace without the wall, for lines that may run there. */
  readonly host: Workspace;
  /** Tells before each command which paths it must not see, beside those of the settings. */
  readonly hidden?: (() => Promise<readonly string[]>) | undefined;
}

/**
 * Starts the commands of each tool call where they belong, and tells of refused accesses as `violation` events. The run's workspace is a
 * `sandboxedWorkspace`. It has to be the innermost handler that changes `spawn`: nothing may widen it again.
 */
export function sandboxHandler({ containment, placement, host, hidden }: SandboxHandlerOptions): AgentHandler {
  return {
    name: 'sandbox',
    async *wrapToolCall(call: ToolCall, next) {
      const found: SandboxViolation[] = [];
      const onViolations = (violations: readonly SandboxViolation[]) => void found.push(...violations);
      const outside = placement.outsideLine(call);
      placement.begun(call);
      const { env } = call.workspace;
      const workspace: Workspace = {
        ...noting(call.workspace, containment, onViolations),
        spawn: (command, options) =>
          command === outside
            ? host.spawn(command, { ...options, env: { ...env, ...options.env } })
            : spawnInside(containment, { command, env }, { ...options, hidden, onViolations }),
      };
      try {
        const result = yield* next({ ...call, workspace });
        for (const violation of found.splice(0)) yield { type: 'violation', id: call.id, ...violation };
        if (!placement.ended(call, result.isError) || typeof result.output !== 'string') return result;
        return { ...result, output: `${result.output}${OFFER}` };
      } finally {
        placement.ended(call, false);
      }
    },
  };
}

/** The same doors; what they refuse for the sandbox's sake is noted. */
function noting(
  workspace: Workspace,
  { settings }: Containment,
  note: (violations: readonly SandboxViolation[]) => void,
): Workspace {
  const noted = (error: unknown): never => {
    if (error instanceof SandboxRefusal) note(reportedViolations([error.violation], settings));
    throw error;
  };
  return {
    ...workspace,
    readFile: (...values) => workspace.readFile(...values).catch(noted),
    writeFile: (...values) => workspace.writeFile(...values).catch(noted),
    makeLink: (...values) => workspace.makeLink(...values).catch(noted),
    makeDirectory: (...values) => workspace.makeDirectory(...values).catch(noted),
    remove: (...values) => workspace.remove(...values).catch(noted),
    stat: (...values) => workspace.stat(...values).catch(noted),
    fetch: (...values) => workspace.fetch(...values).catch(noted),
    async *list(...values) {
      try {
        yield* workspace.list(...values);
      } catch (error) {
        noted(error);
      }
    },
  };
}
