import { type AgentHandler, checkKeys, type RunContext, type ToolCall, type ToolKind, ValidationError } from '@x/core';
import { checkMode } from './check-mode.ts';
import { judgeCall, type SandboxStanding } from './judge-call.ts';
import { normalPath } from './path-forms.ts';
import { mayHoldSecrets } from './protected-paths.ts';
import { guardedWorkspace } from './read-guard.ts';
import { noteName, type PermissionNote } from './recorded-answer.ts';
import { checkRule } from './rule.ts';
import { type SettleOptions, settlePermission, unasked, type Verdict } from './settle-permission.ts';
import type { AskPort, CanUseTool, PermissionPolicy, Recheck } from './types.ts';

/** What decides about calls, and who is asked. */
export interface PermissionHandlerOptions {
  readonly policy: PermissionPolicy;
  /** Asked about every call that nothing before it has decided, readonly ones too. Default: readonly tools and the host's own run. */
  readonly canUseTool?: CanUseTool;
  /** Asked when `canUseTool` gave no answer. Default: nobody. */
  readonly ask?: AskPort;
  /** Run when `canUseTool` has changed an input, before it is judged again. */
  readonly recheck?: Recheck;
  /** The home directory of the user, absolute. */
  readonly home?: string;
  /** Where the SDK keeps its own files, absolute; protected in every mode, readonly tools included. */
  readonly ownDirectories?: readonly string[];
  /** Where this very call will run. Default: there is no sandbox. */
  readonly sandboxed?: (call: ToolCall) => SandboxStanding | undefined;
}

const KNOWN = ['policy', 'canUseTool', 'ask', 'recheck', 'home', 'ownDirectories', 'sandboxed'];

/**
 * Judges every call, of the agent and of its subagents: deny rules, ask rules, protected paths, the mode, allow rules, then
 * `canUseTool`, then `ask`; nobody is a refusal that says how to allow the call. A deny wins everywhere. Each decision is a
 * `permission` event and a durable note before the tool runs; after a restart an allowing answer holds for the very same call.
 * @throws ValidationError for an option it does not know; at the start of a run for a rule that does not fit its tool
 */
export function permissionHandler(options: PermissionHandlerOptions): AgentHandler {
  checkOptions(options);
  const { policy } = options;
  const ownDirectories = (options.ownDirectories ?? []).map((path) => normalPath(path, '/'));
  const home = options.home === undefined ? {} : { home: normalPath(options.home, '/') };
  const kinds = new WeakMap<RunContext, ReadonlyMap<string, ToolKind>>();
  const fixed = { ...options, ...home, ownDirectories };
  const settleOptions = (run: RunContext): SettleOptions => ({
    ...fixed,
    mode: policy.mode,
    kindOf: (name) => policy.kindOf?.(name) ?? kinds.get(run)?.get(name),
  });
  return {
    name: 'permissions',
    beforeAgent({ tools }, run) {
      kinds.set(run, new Map(tools.map(({ tool }) => [tool.name, tool.kind])));
      const rules = [policy.deny, policy.ask, policy.allow].flatMap(
        (some) => some?.filter((rule) => rule.pattern) ?? [],
      );
      for (const rule of rules) for (const { tool } of tools) checkRule(rule, tool);
    },
    async *wrapToolCall(call, next, run) {
      if (!call.tool) return yield* next(call); // the loop answers that there is no such tool
      const settle = settleOptions(run);
      const first = judgeCall(call, call.input, settle);
      const judgement = first instanceof Promise ? await first : first;
      const decided = unasked(judgement, call, settle);
      const verdict: Verdict = decided
        ? { decision: decided, call, subject: judgement.subject }
        : yield* settlePermission(call, judgement, { run, options: settle });
      const { decision } = verdict;
      const note = { type: 'note', name: noteName(call), data: noteOf(verdict) } as const;
      yield { type: 'permission', id: call.id, ...decision };
      if (decision.decision !== 'allow') {
        await run.journal.write(note);
        return { output: `${call.name} was not run: ${decision.reason}`, isError: true, interrupted: 'not_run' };
      }
      const allowed = withGuardedDoors(verdict, settle);
      try {
        return yield* next({ ...allowed, records: [...(allowed.records ?? []), note] });
      } finally {
        // Recorded with the start of the call; a call that never started leaves it to be recorded now.
        if (run.journal.past.note(note.name) !== note.data) await run.journal.write(note);
      }
    },
  };
}

function noteOf({ decision, answered }: Verdict): PermissionNote {
  return { ...decision, ...answered };
}

/** The call itself where nothing narrows its doors. */
function withGuardedDoors(
  { call, subject }: Verdict,
  { policy, kindOf, home, ownDirectories }: SettleOptions,
): ToolCall {
  const around = home === undefined ? {} : { home };
  const isNear = subject?.type === 'paths' && mayHoldSecrets(subject.paths, { ownDirectories, ...around });
  const secrets = isNear ? { secrets: { ownDirectories } } : {};
  const workspace = guardedWorkspace(call.workspace, { deny: policy.deny ?? [], kindOf, ...around, ...secrets });
  return workspace === call.workspace ? call : { ...call, workspace };
}

function checkOptions(options: PermissionHandlerOptions): void {
  checkKeys('permissionHandler options', options, KNOWN);
  checkMode(options.policy?.mode);
  const { isOwn } = options.policy;
  if (isOwn !== undefined && typeof isOwn !== 'function') {
    throw new ValidationError('policy.isOwn must be a function', 'policy');
  }
  for (const key of ['canUseTool', 'ask', 'recheck', 'sandboxed'] as const) {
    const value: unknown = options[key];
    if (value !== undefined && typeof value !== 'function') throw new ValidationError(`${key} must be a function`, key);
  }
  for (const path of [options.home ?? '/', ...(options.ownDirectories ?? [])]) {
    if (!/^(\/|[A-Za-z]:)/.test(path)) throw new ValidationError(`${path} must be an absolute path`, 'home');
  }
}
