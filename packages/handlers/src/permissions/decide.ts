import { coverage } from '@x/command-line';
import type { Tool, ToolKind } from '@x/core';
import { commandLineOf, coveringRule, type Judged, type JudgedSubject, speaksOf } from './match-rule.ts';
import { isBelow } from './path-forms.ts';
import type { Places } from './path-rule.ts';
import { protectedPath } from './protected-paths.ts';
import { mayNameProtected, protectedWord } from './protected-words.ts';
import type { PermissionRule } from './rule.ts';
import type { Decision, PermissionMode, SandboxStanding } from './types.ts';

/** The facts that `decide` needs of a call. */
export interface CallToJudge {
  /** The name that the model asked for. */
  readonly name: string;
  readonly tool: Pick<Tool, 'name' | 'kind'>;
  readonly subject?: JudgedSubject;
  /** The tool's own reason why somebody must be asked, in every mode. */
  readonly wanted?: string;
  /** The decision of earlier hooks. */
  readonly approval?: 'allow' | 'ask';
  /** Absent without a sandbox. */
  readonly standing?: SandboxStanding;
}
/** The host's present permissions. */
export interface DecideContext {
  readonly mode: PermissionMode;
  readonly deny: readonly PermissionRule[];
  readonly ask: readonly PermissionRule[];
  readonly allow: readonly PermissionRule[];
  readonly kindOf: (toolName: string) => ToolKind | undefined;
  readonly places: Places;
  /** Directories of the SDK's own files. */
  readonly ownDirectories: readonly string[];
}

/**
 * The decision of rules, protected paths and the mode about a call; pure. `ask` with the step `default` means that nothing has decided, any
 * other `ask` that somebody must be asked. The first step that decides ends it, except that a deny always wins.
 */
export function decide(call: CallToJudge, context: DecideContext): Decision {
  const { name, tool, subject } = call;
  const { kind } = tool;
  const { places, kindOf } = context;
  const judged: Judged = { names: [name, tool.name], kind, subject, places, kindOf };
  const denied = byRules(context.deny, judged, 'deny_rule');
  if (denied?.decision === 'deny') return denied;
  if (context.mode === 'plan' && kind !== 'readonly') {
    return { decision: 'deny', step: 'mode', reason: `in plan mode ${aOrAn(kind)} tool does not run` };
  }
  return (
    denied ??
    byRules(context.ask, judged, 'ask_rule') ??
    byTool(call) ??
    byHook(call, 'ask') ??
    bySandbox(call, 'outside_if_asked') ??
    byProtectedPath(judged, context) ??
    byMode(judged, context) ??
    byAllowRules(context.allow, judged) ??
    byHook(call, 'allow') ??
    bySandbox(call, 'auto_allow') ?? {
      decision: 'ask',
      step: 'default',
      reason: `neither a rule nor mode '${context.mode}' decides about ${aOrAn(kind)} tool${obstacleOf(context.allow, judged)}`,
    }
  );
}

function byRules(
  rules: readonly PermissionRule[],
  judged: Judged,
  step: 'deny_rule' | 'ask_rule',
): Decision | undefined {
  let doubt: Decision | undefined;
  for (const rule of rules) {
    const speaks = speaksOf(rule, judged);
    if (speaks === 'no') continue;
    const matchedRule = rule.text;
    if (speaks === 'yes' && step === 'deny_rule') {
      return { decision: 'deny', step, reason: `the rule ${matchedRule} denies it`, matchedRule };
    }
    const why =
      speaks === 'yes' ? `the rule ${matchedRule} asks for it` : `it may be what the rule ${matchedRule} means`;
    doubt ??= { decision: 'ask', step, reason: why, matchedRule };
  }
  return doubt;
}

/** The reason why the allow rules for command lines of the tool do not cover this one, as advice to the host. */
function obstacleOf(rules: readonly PermissionRule[], { names, subject }: Judged): string {
  if (subject?.type !== 'command') return '';
  const own = rules.filter(({ toolName, pattern }) => names.includes(toolName) && pattern?.command);
  const found = coverage(
    commandLineOf(subject),
    own.flatMap(({ pattern }) => pattern?.command ?? []),
  );
  if (own.length === 0 || found.covered || found.why === undefined) return '';
  const near = own.find(({ pattern }) => pattern?.command === found.near);
  return `: ${found.why}${near ? `; but for that the rule ${near.text} would allow it` : ''}`;
}

function byTool({ wanted }: CallToJudge): Decision | undefined {
  return wanted === undefined ? undefined : { decision: 'ask', step: 'tool', reason: wanted };
}

function byHook({ approval }: CallToJudge, wanted: 'allow' | 'ask'): Decision | undefined {
  if (approval !== wanted) return undefined;
  return { decision: wanted, step: 'hook', reason: wanted === 'ask' ? 'a hook asks for it' : 'a hook allows it' };
}

function bySandbox({ standing, subject }: CallToJudge, wanted: SandboxStanding): Decision | undefined {
  if (standing !== wanted) return undefined;
  if (wanted === 'auto_allow') return { decision: 'allow', step: 'sandbox', reason: 'it runs inside the sandbox' };
  const reason =
    subject?.type === 'paths'
      ? `a link leads out of the sandbox, to ${subject.paths.map(({ resolved }) => resolved).join(', ')}`
      : 'it failed inside the sandbox and would now run outside of it';
  return { decision: 'ask', step: 'sandbox', reason };
}

function byProtectedPath(judged: Judged, { ownDirectories, places }: DecideContext): Decision | undefined {
  const { subject, kind } = judged;
  let found: string | undefined;
  if (subject?.type === 'paths') {
    found = protectedPath(subject.paths, { ownDirectories, secretsOnly: kind === 'readonly' });
  } else if (subject?.type === 'command' && kind !== 'readonly' && mayNameProtected(subject.line)) {
    const { cwd, home } = places;
    const start = { cwd, ownDirectories, ...(home === undefined ? {} : { home }) };
    found = protectedWord(commandLineOf(subject), subject.resolved ?? [], start);
  }
  if (found === undefined) return undefined;
  return { decision: 'ask', step: 'protected_path', reason: `${found} is protected: it is asked about in every mode` };
}

function byMode({ kind, subject, places }: Judged, { mode }: DecideContext): Decision | undefined {
  if (mode === 'bypassPermissions') return { decision: 'allow', step: 'mode', reason: mode };
  if (mode !== 'acceptEdits' || kind !== 'write' || subject?.type !== 'paths' || subject.paths.length === 0) {
    return undefined;
  }
  const { cwd, resolvedCwd } = places;
  const isInside = subject.paths.every(
    ({ spelled, resolved, inHome }) =>
      inHome === undefined &&
      (isBelow(spelled, cwd) || isBelow(spelled, resolvedCwd)) &&
      isBelow(resolved, resolvedCwd),
  );
  return isInside
    ? { decision: 'allow', step: 'mode', reason: 'acceptEdits, inside the working directory' }
    : undefined;
}

function byAllowRules(rules: readonly PermissionRule[], judged: Judged): Decision | undefined {
  const rule = rules.length > 0 ? coveringRule(rules, judged) : undefined;
  if (!rule) return undefined;
  return { decision: 'allow', step: 'allow_rule', reason: `the rule ${rule.text} allows it`, matchedRule: rule.text };
}

function aOrAn(kind: ToolKind): string {
  return kind === 'execute' ? 'an execute' : `a ${kind}`;
}
