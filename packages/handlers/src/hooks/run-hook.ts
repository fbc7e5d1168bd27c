import { AgentError, type Workspace } from '@x/core';
import { deadline, messageOf, unlessAborted } from '@x/core/internal';
import { runCommand } from './command-hook.ts';
import { clip, jsonCopy, printedOutput, returnedOutput } from './hook-json.ts';
import { type HookAnswer, readOutput } from './read-output.ts';
import type { CommandHook, HookCallback, HookInput } from './types.ts';

/** The end of one hook. */
export type HookEnd =
  | { readonly kind: 'answered'; readonly answer: HookAnswer /** What it said, to be shown. */; readonly said: string }
  /** `detail` is only for the host: it may quote anything. */
  | { readonly kind: 'timeout' | 'failure'; readonly fault: string; readonly detail?: string }
  /** The run was stopped in the meantime. */
  | { readonly kind: 'aborted' };

export interface RunHookOptions {
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Milliseconds that a killed command may take to end. */
const KILLED_MS = 500;
const MAX_DETAIL = 500;
const BLOCK = 2;

/** Runs one hook until it answers, its time is up or the run is stopped. Never rejects. */
export async function runHook(
  hook: CommandHook | HookCallback,
  input: HookInput,
  { workspace, signal, timeoutMs }: RunHookOptions,
): Promise<HookEnd> {
  if (signal.aborted) return { kind: 'aborted' };
  const limit = deadline(signal, timeoutMs);
  const patienceMs = typeof hook === 'function' ? 0 : KILLED_MS;
  const early = (): HookEnd | undefined => {
    if (signal.aborted && !limit.expired) return { kind: 'aborted' };
    return limit.expired ? { kind: 'timeout', fault: `did not answer within ${timeoutMs / 1000} seconds` } : undefined;
  };
  try {
    const work = () => answerOfHook(hook, input, { workspace, signal: limit.signal });
    const answered = await unlessAborted(work, limit.signal, patienceMs);
    return early() ?? answered;
  } catch (error) {
    return early() ?? { kind: 'failure', fault: 'failed', detail: clip(messageOf(error), MAX_DETAIL) };
  } finally {
    limit.clear();
  }
}

/** The name of a hook in messages. */
export function labelOf(hook: CommandHook | HookCallback): string {
  if (typeof hook === 'function') return hook.name === '' ? '(a function)' : hook.name;
  return JSON.stringify(clip(hook.command, 80));
}

interface Surroundings {
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
}

async function answerOfHook(
  hook: CommandHook | HookCallback,
  input: HookInput,
  { workspace, signal }: Surroundings,
): Promise<HookEnd> {
  if (typeof hook === 'function') {
    const output = returnedOutput(await hook(jsonCopy(input) as HookInput, { signal }));
    return answered(input, output, output && Object.keys(output).length > 0 ? JSON.stringify(output) : '');
  }
  const {
    code,
    signal: killedBy,
    stdout,
    stderr,
    flooded,
  } = await runCommand(hook.command, { workspace, stdin: JSON.stringify(input), signal });
  if (flooded) throw new AgentError(`it wrote more to ${flooded} than is taken, and was ended`, 'HOOK_FLOOD');
  if (code === BLOCK) return answered(input, { action: 'abort', reason: stderr.trim() || 'it gave no reason' }, '');
  if (code === 0) return answered(input, printedOutput(stdout), stdout.trim());
  const how = killedBy ? `it was ended by ${killedBy}` : `exit code ${code}`;
  throw new AgentError(stderr.trim() === '' ? how : `${how}: ${stderr.trim()}`, 'HOOK_EXIT');
}

function answered({ hook_event_name }: HookInput, output: object | undefined, said: string): HookEnd {
  return { kind: 'answered', answer: output ? readOutput(hook_event_name, output) : {}, said };
}
