/** The moments at which a hook can run. */
export type HookEvent =
  | 'PreToolUse'
  | 'PostToolUse'
  | 'PostToolUseFailure'
  | 'Notification'
  | 'UserPromptSubmit'
  | 'SessionStart'
  | 'SessionEnd'
  | 'Stop'
  | 'SubagentStart'
  | 'SubagentStop'
  | 'Compaction'
  | 'PermissionRequest'
  | 'TaskCompleted';

/** Input of every hook. */
export interface HookInputBase {
  session_id: string;
  /** A fresh UUID for each hook that runs. */
  hook_execution_id: string;
  /** ISO 8601. */
  timestamp: string;
  /** The session's working directory. */
  project_dir: string;
  permission_mode: string;
  agent_name: string;
  /** 0 for the session's own agent, 1 for its subagents, and so on. */
  agent_depth: number;
}
interface ToolFacts {
  tool_name: string;
  tool_use_id: string;
  /** As changed by the hooks before. */
  tool_input: unknown;
}
/** Input of the hooks of one event, in addition to `HookInputBase`. */
export interface HookFacts {
  PreToolUse: ToolFacts;
  PostToolUse: ToolFacts & { tool_output: string };
  PostToolUseFailure: ToolFacts & {
    error: string;
    error_type: 'tool_error' | 'timeout' | 'interrupted';
    /** True when the run was stopped while the tool ran. */
    is_interrupt: boolean;
    /** True when the tool exceeded its time. */
    is_timeout: boolean;
  };
  Notification: { notification_type: string; message: string };
  UserPromptSubmit: {
    user_prompt: string;
    /** True when the message has images, by their bytes or their addresses. */
    has_images: boolean;
    /** 0 likewise. */
    image_count: number;
  };
  SessionStart: { source: 'startup' | 'resume' | 'fork' };
  SessionEnd: { reason: 'user_exit' | 'error' | 'other'; total_turns: number; total_tokens: number };
  Stop: {
    /** The stop reason of the last reply. */
    stop_reason: string;
    final_response: string;
    /** True when a hook has started the turn that now ends. */
    stop_hook_active: boolean;
  };
  SubagentStart: {
    agent_type: string;
    /** The prompt of the task: the whole input of the subagent. */
    task_description: string;
    /** The name of the agent that started it. */
    parent_agent_id: string;
  };
  SubagentStop: {
    agent_type: string;
    success: boolean;
    /** The complete answer of the subagent. */
    result_summary: string;
    /** Present when it failed. */
    error?: string;
  };
  Compaction: { trigger: 'manual' | 'auto'; messages_before: number; tokens_before: number };
  PermissionRequest: ToolFacts;
  TaskCompleted: { task_id: string; result: string };
}
/** Input of a hook of event `E`; without a parameter, discriminated by `hook_event_name`. */
export type HookInput<E extends HookEvent = HookEvent> = {
  [K in E]: HookInputBase & { hook_event_name: K } & HookFacts[K];
}[E];

/** Output of a hook of any event. */
export interface GeneralHookOutput {
  /** False ends the run with an error; after Stop, SubagentStop and TaskCompleted as it was about to end. */
  continue?: boolean;
  /** The reason for `continue: false`. */
  stopReason?: string;
  /** True keeps this output out of the run's events. */
  suppressOutput?: boolean;
  /** For the host; becomes a `notification` event of kind `hook_message`. */
  systemMessage?: string;
}
/** `block` is the same as `deny`, `approve` as `allow`, which has an effect when permission is asked for. */
export type HookDecision = 'allow' | 'approve' | 'deny' | 'ask' | 'block';
interface Context {
  /** For the model, with its next request. */
  additionalContext?: string;
}
/** Output of the hooks of one event, in addition to `GeneralHookOutput`; every field is optional. */
export interface HookEffects {
  PreToolUse: Context & {
    /** `allow` replaces the host's answer and skips no rule; `ask` asks even when a rule allows. */
    permissionDecision?: 'allow' | 'deny' | 'ask';
    permissionDecisionReason?: string;
    /** Replaces the whole input; parsed by the tool's schema before anything judges it. */
    updatedInput?: unknown;
  };
  PostToolUse: Context & { updatedOutput?: string };
  PostToolUseFailure: Context;
  Notification: object;
  UserPromptSubmit: {
    /** `block` and `deny` prevent the message from being recorded. */
    decision?: HookDecision;
    reason?: string;
    /** Replaces the text of the message; images and files stay. */
    updatedPrompt?: string;
    contextInjection?: string;
  };
  SessionStart: Context & { /** Added to the environment of tools and commands. */ env?: Record<string, string> };
  SessionEnd: object;
  Stop: {
    /** True starts another turn. */
    continue?: boolean;
    /** Instruction to the agent for that turn. */
    continueReason?: string;
  };
  SubagentStart: Context;
  SubagentStop: {
    /** `block` and `deny` start another turn of the subagent. */
    decision?: HookDecision;
    reason?: string;
  };
  Compaction: { blockCompaction?: boolean };
  PermissionRequest: { decision?: HookDecision; reason?: string };
  TaskCompleted: { /** True starts another turn. */ blockCompletion?: boolean; blockReason?: string };
}
/** The short form, for any event: `skip` answers a tool call with the reason as a success, `abort` denies. */
export interface SimpleHookOutput extends GeneralHookOutput {
  action: 'continue' | 'skip' | 'abort';
  /** The tool's input, or the prompt. */
  modifiedInput?: unknown;
  /** The tool's output. */
  modifiedOutput?: string;
  reason?: string;
}
/** Output of a hook of event `E`. An unknown key is a failure, and so is a known one of a wrong type. */
export type HookOutput<E extends HookEvent = HookEvent> =
  | { [K in E]: GeneralHookOutput & HookEffects[K] }[E]
  | SimpleHookOutput;

/** A hook in this process. Its input is a copy; `signal` is aborted when its time is up and when the run is. */
export type HookCallback<E extends HookEvent = HookEvent> = (
  input: HookInput<E>,
  options: { signal: AbortSignal },
) => Promise<HookOutput<E> | void>;
/**
 * A shell command. It gets the input as one JSON object on stdin. Exit code 0: stdout is the output, if it is a JSON object; 2: a denial
 * with stderr as the reason; any other: a failure.
 */
export interface CommandHook {
  type: 'command';
  command: string;
  /** Seconds; default `defaultTimeout`. */
  timeout?: number;
}
/** Hooks, and the values that they run for. */
export interface HookCallbackMatcher<E extends HookEvent = HookEvent> {
  /**
   * A regular expression that must match the whole value: the tool's name, or source, reason, notification_type, agent_type or trigger of
   * the input. `*`, an empty text and no matcher match everything.
   */
  matcher?: string;
  hooks: readonly (CommandHook | HookCallback<E>)[];
}
/**
 * Treatment of a hook that did not answer. `ignore`: as if it did not exist. `error` and `deny`: PreToolUse, PermissionRequest and
 * UserPromptSubmit refuse. `ask`: the call is asked about; a prompt is refused. All but `ignore` emit a `notification` of kind
 * `hook_failed`. Default: `error` for those three events, `ignore` for the rest.
 */
export type HookBehavior = 'ignore' | 'error' | 'deny' | 'ask';
/** `HookCallbackMatcher<E>`, spelled out: the compiler then compares shapes, so that matchers of the general type fit every event. */
interface MatcherOf<Input, Output> {
  matcher?: string;
  hooks: readonly (CommandHook | ((input: Input, options: { signal: AbortSignal }) => Promise<Output>))[];
}
type HookLists = { [E in HookEvent]?: readonly MatcherOf<HookInput<E>, HookOutput<E> | void>[] };
/** Hooks by event, run in the order of the lists. */
export interface HookConfig extends HookLists {
  /** Default true. */
  enabled?: boolean;
  /** Seconds; default 60. */
  defaultTimeout?: number;
  /** For a hook that takes too long. */
  timeoutBehavior?: HookBehavior;
  /** For a hook that throws, ends with an unknown code, produces too much output, or returns an unreadable answer. */
  failureBehavior?: HookBehavior;
}
