import type { ToolResult } from './tool-result.ts';

/** The state of commands that an interrupted call has left: some were running and were ended, there were none, or that is unknown. */
export type CommandsFound = 'ended' | 'none' | 'unknown';

const FOUND: Readonly<Record<CommandsFound, string>> = {
  ended: ' A command of it was still running and was ended.',
  none: ' No command of it is running any more.',
  unknown: ' Whether a command of it is still running cannot be found out from here.',
};

/** A sentence about the commands of an interrupted call, after a space; empty when not checked. */
export function foundText(commands: CommandsFound | undefined): string {
  return commands ? FOUND[commands] : '';
}

/** The answer for a call that was under way when its run was cut off. */
export function unknownEffect(name: string, commands?: CommandsFound): ToolResult {
  const found = foundText(commands);
  const output = `${name} was interrupted; its effect is not known.${found} Check what has happened before calling it again.`;
  return { output, isError: true, interrupted: 'unknown' };
}

/** The answer for a call that was never started. */
export function notRun(name: string): ToolResult {
  const output = `${name} was not run: the run was stopped before it began`;
  return { output, isError: true, interrupted: 'not_run' };
}
