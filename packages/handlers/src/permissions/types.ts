import type { RunContext, Tool, ToolCall, ToolKind } from '@x/core';
import type { PermissionRule } from './rule.ts';

/**
 * `default`: readonly tools and the host's own run, the rest is asked. `acceptEdits`: files inside the working directory may be
 * written too. `bypassPermissions`: everything runs that no deny rule, ask rule, hook or protected path catches. `plan`: only
 * readonly tools run, whatever else is said.
 */
export type PermissionMode = 'default' | 'acceptEdits' | 'bypassPermissions' | 'plan';

/** What `canUseTool` answers. Only an own, exact `behavior: 'allow'` of a plain object allows; anything odd refuses. */
export type PermissionResult =
  /**
   * `updatedInput` takes the place of the input and is judged again from its schema on, at most 3 times. `remember`: rules that allow
   * from now on, such as `suggestedRule`; below every deny and ask rule. A rule that cannot be meant refuses the call.
   */
  | { readonly behavior: 'allow'; readonly updatedInput?: unknown; readonly remember?: readonly string[] }
  /** `message` is what the model reads. */
  | { readonly behavior: 'deny'; readonly message: string }
  /** Leaves it to the `PermissionRequest` hooks. */
  | { readonly behavior: 'ask' };

/** What `canUseTool` is told beside the tool and its input. */
export interface CanUseToolOptions {
  /** Aborted when the run is; the answer is not waited for any longer then. */
  readonly signal: AbortSignal;
  readonly toolKind?: ToolKind;
  readonly callId: string;
  readonly agentName: string;
  /** 0 for the session's own agent, 1 for its subagents, and so on. */
  readonly depth: number;
  /** True when there is a sandbox and this very call would run outside of it. */
  readonly unsandboxed: boolean;
  /** Why it is asked: that nothing has decided, or which rule, path or hook wants it. */
  readonly reason: string;
  readonly matchedRule?: string;
  /** The rule that would have allowed this very call without a question; absent where no rule would. */
  readonly suggestedRule?: string;
  /**
   * The paths the call is about, absolute, with all links resolved: judge by these. What is written in the input may be a link to
   * elsewhere.
   */
  readonly resolvedPaths?: readonly string[];
}

/** The host's answer to one call; whatever it throws refuses the call. */
export type CanUseTool = (toolName: string, input: unknown, options: CanUseToolOptions) => Promise<PermissionResult>;

/** A call that nobody has answered yet. */
export interface PermissionRequest {
  readonly call: ToolCall;
  readonly run: RunContext;
  /** Why it is asked. */
  readonly reason: string;
  readonly matchedRule?: string;
  /** The rule that would have allowed this very call without a question; absent where no rule would. */
  readonly suggestedRule?: string;
  readonly unsandboxed: boolean;
}
/** An answer to a request; `ask` and no answer are the same. */
export interface PermissionAnswer {
  readonly decision: 'approve' | 'deny' | 'ask';
  readonly reason?: string;
}
/** Whom to ask when `canUseTool` gave no answer. An `AgentError` with code `STOPPED_BY_HOOK` ends the run; anything else it throws refuses. */
export type AskPort = (
  request: PermissionRequest,
  options: { readonly signal: AbortSignal },
) => Promise<PermissionAnswer | undefined>;

/** Judges a call whose input was changed, as the hooks before the permissions have judged the first one. */
export type Recheck = (
  call: ToolCall,
  run: RunContext,
) => Promise<{ readonly call: ToolCall } | { readonly refusal: string }>;

/** Which part of the order has decided. */
export type PermissionStep =
  | 'deny_rule'
  | 'ask_rule'
  | 'protected_path'
  | 'mode'
  | 'allow_rule'
  | 'hook'
  | 'sandbox'
  | 'default'
  /** The input could not be judged. */
  | 'input'
  | 'can_use_tool'
  | 'permission_request'
  /** The answer to this very call, given before a restart. */
  | 'recorded_answer'
  | 'nobody'
  | 'aborted';

/** What became of one call, and why. */
export interface Decision {
  readonly decision: 'allow' | 'deny' | 'ask';
  readonly reason: string;
  readonly matchedRule?: string;
  readonly step: PermissionStep;
}

/** What the host has decided beforehand. `mode` and `allow` may change while a run is under way: they count from the next call. */
export interface PermissionPolicy {
  mode: PermissionMode;
  readonly deny?: readonly PermissionRule[];
  readonly ask?: readonly PermissionRule[];
  allow?: readonly PermissionRule[];
  /** Whether the host brought this tool itself: by its options, or through a handler. Default: no tool is. */
  isOwn?(tool: Tool): boolean;
  /**
   * The kind of a tool, by name, also of one that is not offered: a deny rule with a path on a readonly tool binds every other
   * readonly tool. Default: what the tools of the run say.
   */
  kindOf?(toolName: string): ToolKind | undefined;
}
