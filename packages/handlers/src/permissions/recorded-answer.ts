import type { RunContext, ToolCall } from '@x/core';
import { canonicalJson } from '../canonical-json.ts';
import type { Decision } from './types.ts';

/** What the note `permission:<callId>` holds; `key` only where somebody was asked and has allowed. */
export interface PermissionNote extends Decision {
  /** SHA-256 (hex) of the tool's name, the input it was asked with and the working directory. */
  readonly key?: string;
  /** What the answer has put in the place of that input. */
  readonly updatedInput?: unknown;
}

/** Calls judged in this process: an answer found in the past of the run is good for the first attempt only. */
const judged = new WeakMap<RunContext, Set<string>>();

/** The allowing answer that this very call was given before the process was restarted. Taken once. */
export async function takeRecordedAnswer(call: ToolCall, run: RunContext): Promise<PermissionNote | undefined> {
  const note = firstAttempt(call, run) ? run.journal.past.note(noteName(call)) : undefined;
  if (!isAllowed(note)) return undefined;
  return note.key === (await keyOf(call)) ? note : undefined;
}

/** The name of the note about a call. */
export function noteName({ id }: ToolCall): string {
  return `permission:${id}`;
}

/** Undefined for an input that JSON cannot carry: an answer to it is not found again. */
export async function keyOf({ name, input, workspace }: ToolCall): Promise<string | undefined> {
  const text = canonicalJson([name, input, workspace.cwd]);
  if (text === undefined) return undefined;
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function firstAttempt({ id }: ToolCall, run: RunContext): boolean {
  let calls = judged.get(run);
  if (!calls) judged.set(run, (calls = new Set()));
  if (calls.has(id)) return false;
  calls.add(id);
  return true;
}

function isAllowed(note: unknown): note is PermissionNote {
  if (typeof note !== 'object' || note === null) return false;
  const { decision, key } = note as Partial<PermissionNote>;
  return Object.hasOwn(note, 'decision') && decision === 'allow' && typeof key === 'string' && key !== '';
}
