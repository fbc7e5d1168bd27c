import type { AgentConfig, AgentHandler, RunContext, ToolCall, ToolKind } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, checkValue, type OptionRules } from '@x/errors/option-rules';
import { canonicalJson } from '../canonical-json.ts';
import { ownHandler } from '../own-handler.ts';
import { admitServiceTools } from './admit-service-tools.ts';
import { type Judgement, judgeCall } from './judge-call.ts';
import { normalPath } from './path-forms.ts';
import { mayHoldSecrets } from './protected-paths.ts';
import { hasQuestion, type QuestionOptions, refusedByPerson } from './question-note.ts';
import { guardedWorkspace } from './read-guard.ts';
import { noteName, type PermissionNote } from './recorded-answer.ts';
import { checkRule, type PermissionRule, parseRules } from './rule.ts';
import { type SettleOptions, settlePermission, unasked, type Verdict } from './settle-permission.ts';
import type { AskPort, CanUseTool, Decision, PermissionMode, PermissionPolicy, Recheck, Sandboxed } from './types.ts';

/** Options of `permissionHandler`. */
export interface PermissionHandlerOptions {
  readonly policy: PermissionPolicy;
  /** Asked about every call that nothing before it has decided, readonly ones too. Default: allows readonly tools and the host's own. */
  readonly canUseTool?: CanUseTool;
  /** Asked when `canUseTool` gave no answer. Default: nobody is asked. */
  readonly ask?: AskPort;
  /**
   * Keeps rules that `canUseTool` asks to remember; they apply when it resolves. Default: they are added to `policy.allow`.
   * @throws ValidationError for an invalid rule, which refuses the call
   */
  readonly remember?: (rules: readonly string[]) => Promise<void>;
  /** Aborts the run when `canUseTool` denies with `interrupt: true`, such as `() => controller.abort()`. Default: the call alone is denied. */
  readonly interrupt?: () => void;
  /** Lets calls wait for an answer; for runs whose journal outlives their process. Default: no call waits. */
  readonly questions?: QuestionOptions;
  /** Run when `canUseTool` has changed an input, before it is judged again. */
  readonly recheck?: Recheck;
  /** The home directory of the user, absolute. */
  readonly home?: string;
  /** Directories of the SDK's own files, absolute; protected in every mode, readonly tools included. */
  readonly ownDirectories?: readonly string[];
  /** The position of a call towards the sandbox; `paths` are those it is about, absolute. Default: no sandbox. */
  readonly sandboxed?: Sandboxed;
}

const MODE = is.required(is.oneOf('default', 'acceptEdits', 'bypassPermissions', 'plan'));
const RULES = is.rule(
  'a list of parsed rules; parse texts with parseRules([...])',
  (value) => Array.isArray(value) && value.every(isRule),
);
const ABSOLUTE = is.rule('an absolute path', (value) => typeof value === 'string' && /^(\/|[A-Za-z]:)/.test(value));
const OPTIONS: OptionRules<PermissionHandlerOptions> = {
  policy: is.required(
    is.nested<PermissionPolicy>({
      mode: is.required(MODE),
      deny: RULES,
      ask: RULES,
      allow: RULES,
      isOwn: is.callback,
      kindOf: is.callback,
    }),
  ),
  canUseTool: is.callback,
  ask: is.callback,
  remember: is.callback,
  interrupt: is.callback,
  questions: is.nested<QuestionOptions>({ askPolicy: is.oneOf('refuse', 'wait'), ttlMs: is.count() }),
  recheck: is.callback,
  home: ABSOLUTE,
  ownDirectories: is.listOf(ABSOLUTE),
  sandboxed: is.callback,
};

/**
 * Judges every call, of the agent and of its subagents: deny rules, ask rules, protected paths, the mode, allow rules, then `canUseTool`,
 * then `ask`; without an answer the call is refused with advice on how to allow it. A deny wins everywhere. Each decision is a `permission`
 * event and a durable note before the tool runs; after a restart an allowing answer applies to exactly the same call.
 * @throws ValidationError for an unknown option; at the start of a run for a rule that does not fit its tool
 */
export function permissionHandler(options: PermissionHandlerOptions): AgentHandler {
  checkOptions('permissionHandler options', options, OPTIONS);
  const { policy } = options;
  const ownDirectories = (options.ownDirectories ?? []).map((path) => normalPath(path, '/'));
  const home = options.home === undefined ? {} : { home: normalPath(options.home, '/') };
  const kinds = new WeakMap<RunContext, (toolName: string) => ToolKind | undefined>();
  const addRules = async (rules: readonly string[]) => {
    policy.allow = [...(policy.allow ?? []), ...parseRules(rules, home)];
  };
  const fixed = { ...options, remember: options.remember ?? addRules, ...home, ownDirectories };
  const settleOptions = (run: RunContext): SettleOptions => ({
    ...fixed,
    mode: policy.mode,
    kindOf: (name) => policy.kindOf?.(name) ?? kinds.get(run)?.(name),
  });
  return ownHandler({
    name: 'permissions',
    beforeAgent({ tools }, run) {
      kinds.set(run, kindsOf([...tools]));
      const rules = [policy.deny, policy.ask, policy.allow].flatMap(
        (some) => some?.filter((rule) => rule.pattern) ?? [],
      );
      for (const rule of rules) for (const { tool } of tools) checkRule(rule, tool);
    },
    // no generator around the call: each costs every piece of the reply
    wrapModelCall(request, next) {
      admitServiceTools(request.options, policy);
      return next(request);
    },
    async *wrapToolCall(call, next, run) {
      if (!call.tool) return yield* next(call); // the loop answers that there is no such tool
      const settle = settleOptions(run);
      const first = judgeCall(call, call.input, settle);
      const judgement = first instanceof Promise ? await first : first;
      const decided = withoutAsking(judgement, { call, run, settle });
      const verdict: Verdict = decided
        ? { decision: decided, call, subject: judgement.subject }
        : yield* settlePermission(call, judgement, { run, options: settle });
      const { decision } = verdict;
      const changed = changeOf(call, verdict);
      const note = { type: 'note', name: noteName(call), data: noteOf(verdict, changed) } as const;
      yield { type: 'permission', id: call.id, ...decision, ...(changed ? { input: verdict.call.input } : {}) };
      if (decision.decision !== 'allow') {
        await run.journal.write(note);
        if (decision.interrupt) options.interrupt?.();
        const why = changed ? `after ${changed} changed its input, ${decision.reason}` : decision.reason;
        return { output: `${call.name} was not run: ${why}`, isError: true, interrupted: 'not_run' };
      }
      const allowed = withGuardedDoors(verdict, settle);
      const noted = () => run.journal.past.note(note.name);
      const before = noted();
      try {
        return yield* next({ ...allowed, records: [...(allowed.records ?? []), note] });
      } finally {
        // Recorded with the start of the call; for a call that never started it is recorded now, unless a guard inside has refused it.
        if (noted() === before && before !== note.data) await run.journal.write(note);
      }
    },
  });
}

interface Judged {
  readonly call: ToolCall;
  readonly run: RunContext;
  readonly settle: SettleOptions;
}

/** The decision when nobody has to be asked; a question that was asked before is not answered by what stands in for `canUseTool`. */
function withoutAsking(judgement: Judgement, { call, run, settle }: Judged): Decision | undefined {
  const decided = unasked(judgement, call, settle);
  if (!settle.questions || !hasQuestion(call, run) || decided?.decision === 'deny') return decided;
  const refused = refusedByPerson(call, run);
  if (refused !== undefined) return { decision: 'deny', step: 'recorded_answer', reason: refused };
  return decided?.step === 'default' ? undefined : decided;
}

/** The party that has changed the input from the model; undefined without a change. */
function changeOf(call: ToolCall, verdict: Verdict): string | undefined {
  if (verdict.call.input !== call.input) return 'canUseTool';
  if (!Object.hasOwn(call, 'requested') || call.input === call.requested) return undefined;
  return canonicalJson(call.input) === canonicalJson(call.requested) ? undefined : 'a hook or a handler';
}

function noteOf({ decision, answered, call }: Verdict, changed: string | undefined): PermissionNote {
  // An input that JSON cannot represent is in the event alone.
  const input = changed && canonicalJson(call.input) !== undefined ? { input: call.input } : {};
  return { ...decision, ...answered, ...input };
}

/** Narrows the call's file access to what was judged; returns the call itself when nothing is narrowed. */
function withGuardedDoors(
  { call, subject }: Verdict,
  { policy, kindOf, home, ownDirectories }: SettleOptions,
): ToolCall {
  const around = home === undefined ? {} : { home };
  const judged = subject?.type === 'paths' ? subject.paths : [];
  if (judged.length === 0 && !policy.deny?.length) return call;
  const isNear = mayHoldSecrets(judged, { ownDirectories, ...around });
  const secrets = isNear ? { secrets: { ownDirectories } } : {};
  const options = { deny: policy.deny ?? [], kindOf, ...around, ...secrets, judged };
  const workspace = guardedWorkspace(call.workspace, options);
  return workspace === call.workspace ? call : { ...call, workspace };
}

/** Checks a mode and returns it; `field` names the option. @throws ValidationError */
export function checkMode(mode: unknown, field = 'permissionMode'): PermissionMode {
  checkValue(field, mode, MODE);
  return mode as PermissionMode; // safe: checked
}

/** True for a rule made by `parseRule`. */
function isRule(rule: Partial<PermissionRule> | null): boolean {
  if (typeof rule !== 'object' || rule === null) return false;
  return (
    typeof rule.text === 'string' &&
    typeof rule.toolName === 'string' &&
    (rule.pattern === undefined || typeof rule.pattern === 'object')
  );
}

/** The kinds of tools by name, looked for when the first one is wanted: most runs have no rule for which it matters. */
function kindsOf(tools: AgentConfig['tools']): (toolName: string) => ToolKind | undefined {
  let kinds: ReadonlyMap<string, ToolKind> | undefined;
  return (toolName) => (kinds ??= new Map(tools.map(({ tool }) => [tool.name, tool.kind]))).get(toolName);
}
