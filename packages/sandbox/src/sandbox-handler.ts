import type { AgentHandler, ToolCall } from '@x/core';
import type { CommandPlacement } from './command-placement.ts';
import type { Containment } from './containment.ts';
import type { SandboxViolation } from './driver/driver.ts';
import { sandboxedWorkspace } from './sandboxed-workspace.ts';

const OFFER =
  '\n\n[This ran in a sandbox. If it failed because of that, call again with exactly the same command: it is then asked whether it may run outside.]';

/**
 * Gives every tool call a workspace within the sandbox, and tells of refused accesses as `violation` events. It has to be the innermost
 * handler that changes the workspace: nothing may widen it again. `hidden` tells before each command which paths it must not see.
 */
export function sandboxHandler(
  containment: Containment,
  placement: CommandPlacement,
  hidden?: () => Promise<readonly string[]>,
): AgentHandler {
  return {
    name: 'sandbox',
    async *wrapToolCall(call: ToolCall, next) {
      const found: SandboxViolation[] = [];
      const workspace = sandboxedWorkspace(call.workspace, containment, {
        outside: placement.outsideLine(call),
        hidden,
        onViolations: (violations) => found.push(...violations),
      });
      let failed = true;
      try {
        const result = yield* next({ ...call, workspace });
        failed = result.isError;
        for (const violation of found.splice(0)) yield { type: 'violation', id: call.id, ...violation };
        if (!placement.ended(call, failed) || typeof result.output !== 'string') return result;
        return { ...result, output: `${result.output}${OFFER}` };
      } finally {
        placement.ended(call, false);
      }
    },
  };
}
