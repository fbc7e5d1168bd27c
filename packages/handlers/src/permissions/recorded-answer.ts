import type { RunContext, ToolCall } from '@x/core';
import { permissionNote } from '@x/core/internal';
import { sha256OfJson } from '../sha256-of-json.ts';
import type { Judgement } from './judge-call.ts';
import type { Decision } from './types.ts';

/** Content of the note `permission:<callId>`; `key` only when somebody was asked and has allowed. */
export interface PermissionNote extends Decision {
  /** SHA-256 (hex) of everything that the answer was about; see `keyOf`. */
  readonly key?: string;
  /** The input that the answer has replaced it with. */
  readonly updatedInput?: unknown;
  /** The judged input, if it differs from the model's. */
  readonly input?: unknown;
}
/** A judged call; `input` is the parsed one. */
export interface Round extends Judgement {
  readonly call: ToolCall;
  readonly input: unknown;
}

/** Calls judged in this process: an answer found in the past of the run counts for the first attempt only. */
const judged = new WeakMap<RunContext, Set<string>>();

/**
 * The answer that a call of this id got before the process was restarted. Returned once; the caller compares the `key` of an allowing one,
 * and a refusing one applies whatever the call has become.
 */
export function takeRecordedAnswer(call: ToolCall, run: RunContext): PermissionNote | undefined {
  const note = firstAttempt(call, run) ? run.journal.past.note(noteName(call)) : undefined;
  return isAnswer(note) ? note : undefined;
}

/** The name of the note about a call. */
export function noteName({ id }: ToolCall): string {
  return permissionNote(id);
}

/**
 * A key of the tool's name, the working directory, and the call as first judged and as allowed: input, resolved paths, and the step that
 * asked. Undefined for an input that JSON cannot represent: an answer to it is not found again.
 */
export async function keyOf(first: Round, allowed: Round): Promise<string | undefined> {
  const { name, workspace } = first.call;
  return await sha256OfJson([name, workspace.cwd, ...[first, allowed].map(factsOfRound)]);
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

/** True for the answer of a person or a hook; decisions of rules and the mode are made again. */
function isAnswer(note: unknown): note is PermissionNote {
  if (typeof note !== 'object' || note === null) return false;
  const { decision, step, reason, key } = note as Partial<PermissionNote>;
  const isOfSomebody = step === 'can_use_tool' || step === 'permission_request' || step === 'recorded_answer';
  if (Object.hasOwn(note, 'decision') && decision === 'deny') return isOfSomebody && typeof reason === 'string';
  return Object.hasOwn(note, 'decision') && decision === 'allow' && typeof key === 'string' && key !== '';
}
