import { type AgentHandler, type Tool, type ToolCall, type ToolKind, ValidationError } from '@x/core';

/** `acceptEdits` is not offered yet: what it accepts has to be judged by path. */
export type PermissionMode = 'default' | 'acceptEdits' | 'bypassPermissions' | 'plan';

const MODES: readonly string[] = ['default', 'acceptEdits', 'bypassPermissions', 'plan'];

/** What the mode handler reads at each call; the mode may change while a run is under way. */
export interface PermissionPolicy {
  mode: PermissionMode;
  /** Whether the host brought this tool itself: by its options, or through a handler. */
  isOwn(tool: Tool): boolean;
}

/** The mode itself. @throws ValidationError for any other text, and for the mode that is not offered yet */
export function checkMode(mode: unknown): PermissionMode {
  if (typeof mode !== 'string' || !MODES.includes(mode)) {
    throw new ValidationError(`permissionMode must be one of ${MODES.join(', ')}`, 'permissionMode');
  }
  if (mode === 'acceptEdits') {
    throw new ValidationError(
      "permissionMode 'acceptEdits' is not supported yet; use 'default', 'plan' or 'bypassPermissions'",
      'permissionMode',
    );
  }
  return mode as PermissionMode; // safe: checked against MODES
}

/**
 * Judges each call by the mode alone: readonly tools always run, the host's own tools in every mode but `plan`, the rest only in
 * `bypassPermissions`. A refusal says how to allow the call.
 */
export function permissionModeHandler(policy: PermissionPolicy): AgentHandler {
  return {
    name: 'permissions',
    async *wrapToolCall(call, next) {
      const { allowed, reason } = decideByMode(policy, call);
      yield { type: 'permission', id: call.id, decision: allowed ? 'allow' : 'deny', step: 'mode', reason };
      if (allowed) return yield* next(call);
      return { output: `${call.name} was not run: ${reason}`, isError: true, interrupted: 'not_run' };
    },
  };
}

function decideByMode(policy: PermissionPolicy, call: ToolCall): { allowed: boolean; reason: string } {
  if (!call.tool) return { allowed: true, reason: 'there is no such tool' };
  const { mode } = policy;
  const { kind } = call.tool;
  if (kind === 'readonly') return { allowed: true, reason: 'readonly tools run in every mode' };
  if (mode === 'plan') return { allowed: false, reason: `in plan mode ${aOrAn(kind)} tool does not run` };
  if (mode === 'bypassPermissions') return { allowed: true, reason: 'bypassPermissions' };
  if (policy.isOwn(call.tool)) return { allowed: true, reason: 'the host brought this tool itself' };
  return {
    allowed: false,
    reason: `${aOrAn(kind)} tool is not allowed in mode '${mode}'; the host can allow it with permissionMode 'bypassPermissions'`,
  };
}

function aOrAn(kind: ToolKind): string {
  return kind === 'execute' ? 'an execute' : `a ${kind}`;
}
