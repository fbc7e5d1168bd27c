import type { RunContext, ToolCall } from '@x/core';
import { canonicalJson } from '../canonical-json.ts';
import type { Judgement } from './judge-call.ts';
import type { Decision } from './types.ts';

/** What the note `permission:<callId>` holds; `key` only where somebody was asked and has allowed. */
export interface PermissionNote extends Decision {
  /** SHA-256 (hex) of all that the answer was about; see `keyOf`. */
  readonly key?: string;
  /** What the answer has put in the place of that input. */
  readonly updatedInput?: unknown;
  /** What was judged, where it is not what the model asked for. */
  readonly input?: unknown;
}
/** A call as it was judged; `input` is the parsed one. */
export interface Round extends Judgement {
  readonly call: ToolCall;
  readonly input: unknown;
}

/** Calls judged in this process: an answer found in the past of the run is good for the first attempt only. */
const judged = new WeakMap<RunContext, Set<string>>();

/**
 * The answer that a call of this id was given before the process was restarted. Taken once; the `key` of an allowing one is the caller's to
 * compare, a refusing one holds for whatever the call has become.
 */
export function takeRecordedAnswer(call: ToolCall, run: RunContext): PermissionNote | undefined {
  const note = firstAttempt(call, run) ? run.journal.past.note(noteName(call)) : undefined;
  return isAnswer(note) ? note : undefined;
}

/** The name of the note about a call. */
export function noteName({ id }: ToolCall): string {
  return `permission:${id}`;
}

/**
 * Of the tool's name and the working directory, and of the call as it was first judged and as it was allowed: input, where its paths lead,
 * and which step asked. Undefined for an input that JSON cannot carry: an answer to it is not found again.
 */
export async function keyOf(first: Round, allowed: Round): Promise<string | undefined> {
  const { name, workspace } = first.call;
  const text = canonicalJson([name, workspace.cwd, ...[first, allowed].map(factsOfRound)]);
  if (text === undefined) return undefined;
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function factsOfRound({ call, subject, decision }: Round): readonly unknown[] {
  const places = subject?.type === 'paths' ? subject.paths.map(({ resolved }) => resolved) : [];
  return [call.input, decision.step, places, subject?.type === 'command' ? (subject.resolved ?? []) : []];
}

function firstAttempt({ id }: ToolCall, run: RunContext): boolean {
  let calls = judged.get(run);
  if (!calls) judged.set(run, (calls = new Set()));
  if (calls.has(id)) return false;
  calls.add(id);
  return true;
}

/** Where somebody has answered; what rules and hooks decide is decided again. */
function isAnswer(note: unknown): note is PermissionNote {
  if (typeof note !== 'object' || note === null) return false;
  const { decision, step, reason, key } = note as Partial<PermissionNote>;
  const isOfSomebody = step === 'can_use_tool' || step === 'permission_request';
  if (Object.hasOwn(note, 'decision') && decision === 'deny') return isOfSomebody && typeof reason === 'string';
  return Object.hasOwn(note, 'decision') && decision === 'allow' && typeof key === 'string' && key !== '';
}
