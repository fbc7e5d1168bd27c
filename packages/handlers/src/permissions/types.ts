import type { RunContext, Tool, ToolCall, ToolKind } from '@x/core';
import type { PermissionRule } from './rule.ts';

/**
 * `default`: readonly tools and the host's own run, the rest is asked. `acceptEdits`: files inside the working directory may be written
 * too. `bypassPermissions`: everything runs unless a deny rule, ask rule, hook or protected path applies. `plan`: only readonly tools run,
 * whatever else applies.
 */
export type PermissionMode = 'default' | 'acceptEdits' | 'bypassPermissions' | 'plan';

/**
 * The position of a call towards the sandbox: inside without a question, inside, outside, outside only after a question (a command that
 * would run there, or a reader that follows a link of the user's to it); undefined without a sandbox.
 */
export type SandboxStanding = 'auto_allow' | 'inside' | 'outside' | 'outside_if_asked';

/** Tells the position of a call; `paths` are those it is about, absolute, as spelled and with their links resolved. */
export type Sandboxed = (
  call: ToolCall,
  paths: readonly { readonly spelled: string; readonly resolved: string }[],
) => SandboxStanding | undefined;

/** The answer of `canUseTool`. Only an own, exact `behavior: 'allow'` of a plain object allows; anything else refuses. */
export type PermissionResult =
  /**
   * `updatedInput` replaces the input and is judged again from its schema on, at most 3 times. `remember`: rules that allow from now on,
   * such as `suggestedRule`; every deny and ask rule wins over them. An invalid rule refuses the call.
   */
  | { readonly behavior: 'allow'; readonly updatedInput?: unknown; readonly remember?: readonly string[] }
  /** `message` is for the model. `interrupt` ends the run as `aborted` with this answer recorded; the next message goes on from there. */
  | { readonly behavior: 'deny'; readonly message: string; readonly interrupt?: boolean }
  /** Leaves it to the `PermissionRequest` hooks. */
  | { readonly behavior: 'ask' }
  /** The call waits for an answer that any process may give, days later; the run ends as `waiting`. Refused outside of a session. */
  | { readonly behavior: 'wait' };

/** Facts for `canUseTool`, in addition to the tool and its input. */
export interface CanUseToolOptions {
  /** Aborted with the run; the answer is then ignored. */
  readonly signal: AbortSignal;
  readonly toolKind?: ToolKind;
  readonly callId: string;
  readonly agentName: string;
  /** 0 for the session's own agent, 1 for its subagents, and so on. */
  readonly depth: number;
  /** True when there is a sandbox and this call would run outside of it. */
  readonly unsandboxed: boolean;
  /** The reason for the question: nothing has decided, or a rule, path or hook requires it. */
  readonly reason: string;
  readonly matchedRule?: string;
  /** The rule that would have allowed exactly this call without a question; absent when no rule would. */
  readonly suggestedRule?: string;
  /**
   * The paths that the call is about, absolute, with all links resolved: judge by these. A path in the input may be a link to elsewhere.
   */
  readonly resolvedPaths?: readonly string[];
}

/** The host's answer to one call; any error refuses the call. */
export type CanUseTool = (toolName: string, input: unknown, options: CanUseToolOptions) => Promise<PermissionResult>;

/** A call that nobody has answered yet. */
export interface PermissionRequest {
  readonly call: ToolCall;
  readonly run: RunContext;
  /** The reason for the question. */
  readonly reason: string;
  readonly matchedRule?: string;
  /** The rule that would have allowed exactly this call without a question; absent when no rule would. */
  readonly suggestedRule?: string;
  readonly unsandboxed: boolean;
}
/** An answer to a request; `ask` and no answer are the same. */
export interface PermissionAnswer {
  readonly decision: 'approve' | 'deny' | 'ask';
  readonly reason?: string;
}
/** Asked when `canUseTool` gave no answer. An `AgentError` with code `STOPPED_BY_HOOK` ends the run; any other error refuses. */
export type AskPort = (
  request: PermissionRequest,
  options: { readonly signal: AbortSignal },
) => Promise<PermissionAnswer | undefined>;

/** Judges a call whose input was changed, like the hooks before the permissions. */
export type Recheck = (
  call: ToolCall,
  run: RunContext,
) => Promise<{ readonly call: ToolCall } | { readonly refusal: string }>;

/** The step that has decided. */
export type PermissionStep =
  | 'deny_rule'
  | 'ask_rule'
  | 'protected_path'
  /** The tool itself wants a person to be asked about this call. */
  | 'tool'
  | 'mode'
  | 'allow_rule'
  | 'hook'
  | 'sandbox'
  | 'default'
  /** The input could not be judged. */
  | 'input'
  | 'can_use_tool'
  | 'permission_request'
  /** The answer to exactly this call, given before a restart or to a question that waited. */
  | 'recorded_answer'
  | 'nobody'
  | 'aborted';

/** The decision about one call, and its reason. */
export interface Decision {
  readonly decision: 'allow' | 'deny' | 'ask';
  readonly reason: string;
  readonly matchedRule?: string;
  readonly step: PermissionStep;
  /** Ends the run; with a `deny` of `canUseTool`. */
  readonly interrupt?: true;
}

/** The host's permissions. `mode` and `allow` may change while a run is under way: they take effect at the next call. */
export interface PermissionPolicy {
  mode: PermissionMode;
  readonly deny?: readonly PermissionRule[];
  readonly ask?: readonly PermissionRule[];
  allow?: readonly PermissionRule[];
  /** True when the host brought this tool itself: by its options, or through a handler. Default: false for every tool. */
  isOwn?(tool: Tool): boolean;
  /**
   * The kind of a tool, by name, also of one that is not offered: a deny rule with a path on a readonly tool binds every other readonly
   * tool. Default: the kind of the run's own tools.
   */
  kindOf?(toolName: string): ToolKind | undefined;
}
