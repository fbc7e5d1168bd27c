import { commandLineParser } from '@x/command-line';
import type { ToolCall, ToolKind, Workspace } from '@x/core';
import { messageOf, present } from '@x/core/internal';
import { decide } from './decide.ts';
import { judgedSubject, linkedPaths, resolvedPlaces, spelledPlaces } from './judge-paths.ts';
import type { JudgedSubject } from './match-rule.ts';
import type { PathForms } from './path-forms.ts';
import type { Places } from './path-rule.ts';
import { mayNameProtected, pathWords } from './protected-words.ts';
import type { Decision, PermissionMode, PermissionPolicy, Sandboxed } from './types.ts';

export interface JudgeOptions {
  readonly policy: PermissionPolicy;
  /** The mode when the call arrived: a change takes effect at the next call. */
  readonly mode: PermissionMode;
  readonly home?: string;
  readonly ownDirectories: readonly string[];
  readonly kindOf: (toolName: string) => ToolKind | undefined;
  readonly sandboxed?: Sandboxed;
}
/** For a call that is about no path. */
const NOWHERE: Places = { cwd: '/', resolvedCwd: '/', resolvedBases: new Map() };

/** A decision, and its subject. */
export interface Judgement {
  readonly decision: Decision;
  readonly subject: JudgedSubject | undefined;
  /** The places that rules' paths were matched against. */
  readonly places: Places;
}

/** A call, and the input that its tool would get. */
interface JudgedInput {
  readonly call: ToolCall;
  readonly input: unknown;
}

/**
 * Finds out what the call touches and decides; synchronously when neither paths nor a command line must be resolved. `input` is the parsed
 * one.
 */
export function judgeCall(call: ToolCall, input: unknown, options: JudgeOptions): Judgement | Promise<Judgement> {
  try {
    const subject = call.tool?.subject?.(input);
    if (!subject) return judgedCall({ call, input }, undefined, options);
    const forms = judgedSubject(subject, call.workspace, options.home);
    if (forms instanceof Promise) return judgedPaths({ call, input }, forms, options);
    if (forms.type !== 'command' || !mustBeRead(forms.line, options))
      return judgedCall({ call, input }, forms, options);
    return judgedLine({ call, input }, forms.line, options);
  } catch (error) {
    return unclear(error);
  }
}

async function judgedPaths(
  judged: JudgedInput,
  forms: Promise<JudgedSubject>,
  options: JudgeOptions,
): Promise<Judgement> {
  const { workspace } = judged.call;
  try {
    const [subject, places] = await Promise.all([forms, placesFor(workspace, options)]);
    return judgedCall(judged, subject, options, places);
  } catch (error) {
    return unclear(error);
  }
}

/** True when a decision may depend on the line: the parser is loaded for the first such line. */
function mustBeRead(line: string, { policy }: JudgeOptions): boolean {
  const { deny = [], ask = [], allow = [] } = policy;
  return mayNameProtected(line) || [...deny, ...ask, ...allow].some(({ pattern }) => pattern?.command);
}

async function judgedLine(judged: JudgedInput, line: string, options: JudgeOptions): Promise<Judgement> {
  const { call } = judged;
  const parse = await commandLineParser();
  try {
    const parsed = parse(line);
    const resolved = call.tool?.kind === 'readonly' ? [] : await linkedPaths(pathWords(parsed), call.workspace);
    return judgedCall(judged, { type: 'command', line, parsed, resolved }, options);
  } catch (error) {
    return unclear(error);
  }
}

function placesFor(workspace: Workspace, { policy, mode, home }: JudgeOptions): Places | Promise<Places> {
  const { deny = [], ask = [], allow = [] } = policy;
  const isNeeded = mode === 'acceptEdits' || [...deny, ...ask, ...allow].some(({ pattern }) => pattern?.paths);
  return isNeeded ? resolvedPlaces(workspace, { home, strict: [...deny, ...ask] }) : spelledPlaces(workspace, home);
}

function judgedCall(
  { call, input }: JudgedInput,
  subject: JudgedSubject | undefined,
  { policy, mode, home, ownDirectories, kindOf, sandboxed }: JudgeOptions,
  places = subject ? spelledPlaces(call.workspace, home) : NOWHERE,
): Judgement {
  const { name, tool, approval } = call;
  if (!tool) return unclear(undefined);
  const decision = decide(
    {
      name,
      tool,
      ...(subject ? { subject } : {}),
      ...present({ wanted: tool.asks?.(input) }),
      ...(approval ? { approval } : {}),
      ...present({ standing: sandboxed?.(call, pathsOf(subject)) }),
    },
    {
      mode,
      deny: policy.deny ?? [],
      ask: policy.ask ?? [],
      allow: policy.allow ?? [],
      kindOf,
      places,
      ownDirectories,
    },
  );
  return { decision, subject, places };
}

/** The paths that a call is about. */
export function pathsOf(subject: JudgedSubject | undefined): readonly PathForms[] {
  return subject?.type === 'paths' ? subject.paths : [];
}

function unclear(error: unknown): Judgement {
  const reason = `what it touches is unknown: ${messageOf(error)}`;
  return { decision: { decision: 'deny', step: 'input', reason }, subject: undefined, places: NOWHERE };
}
