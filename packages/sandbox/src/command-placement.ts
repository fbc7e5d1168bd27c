import { type CommandPattern, commandLineParser, coverage, parseCommandPattern } from '@x/command-line';
import type { ToolCall } from '@x/core';
import type { SandboxSettings } from './policy/settings.ts';

/**
 * The place of a call: `auto_allow` and `inside` run behind the wall, the first without a question; `outside` runs on the host through the
 * normal permissions; `outside_if_asked` runs on the host after a question that nothing answers but a person.
 */
export type CommandPlace = 'auto_allow' | 'inside' | 'outside' | 'outside_if_asked';

/** Decides where commands run. The same object is asked by the permissions and by what starts the command, so that they cannot disagree. */
export interface CommandPlacement {
  /** The place of a call; it stays the same for this call and line until the call has ended. */
  placeOf(call: ToolCall): CommandPlace;
  /** The line of this call that runs outside. */
  outsideLine(call: ToolCall): string | undefined;
  /** Notes the end of a call. True when the same line may now be offered outside. */
  ended(call: ToolCall, failed: boolean): boolean;
}

const MOST_REMEMBERED = 1_000;

/**
 * @param isContained true for a tool whose commands all run in the workspace it is given
 * @throws ValidationError for a pattern that can match no command
 */
export async function commandPlacement(
  { excludedCommands = [], allowUnsandboxedCommands = [], autoAllowBashIfSandboxed = false }: SandboxSettings,
  isContained: (call: ToolCall) => boolean,
): Promise<CommandPlacement> {
  const excluded = excludedCommands.flatMap(patternsOf);
  const offered = allowUnsandboxedCommands.flatMap(patternsOf);
  const parse = excluded.length + offered.length > 0 ? await commandLineParser() : undefined;
  const failedLines = new Set<string>();
  const decided = new Map<string, { readonly line: string; readonly place: CommandPlace }>();

  const isCoveredBy = (line: string, patterns: readonly CommandPattern[]) =>
    parse !== undefined && patterns.length > 0 && isPlainly(parse(line), patterns);
  const decide = (line: string, call: ToolCall): CommandPlace => {
    if (isCoveredBy(line, excluded)) return 'outside';
    if (failedLines.has(line) && isCoveredBy(line, offered)) return 'outside_if_asked';
    return autoAllowBashIfSandboxed && isContained(call) ? 'auto_allow' : 'inside';
  };
  return {
    placeOf(call) {
      const line = lineOf(call);
      if (line === undefined) return 'inside';
      const known = decided.get(call.id);
      if (known?.line === line) return known.place;
      const place = decide(line, call);
      decided.set(call.id, { line, place });
      return place;
    },
    outsideLine(call) {
      const line = lineOf(call);
      const known = decided.get(call.id);
      // What was not judged as this very line runs inside.
      if (line === undefined || known?.line !== line) return undefined;
      return known.place === 'outside' || known.place === 'outside_if_asked' ? line : undefined;
    },
    ended(call, failed) {
      const line = lineOf(call);
      const place = decided.get(call.id)?.place;
      decided.delete(call.id);
      if (line === undefined || place === 'outside' || place === 'outside_if_asked') return false;
      if (!failed || !isCoveredBy(line, offered)) return false;
      if (failedLines.size >= MOST_REMEMBERED) failedLines.clear();
      failedLines.add(line);
      return true;
    },
  };
}

/** `git` stands for `git` alone and with any arguments, as `git *` does. */
function patternsOf(text: string): CommandPattern[] {
  return [text, ...(text.endsWith('*') ? [] : [`${text} *`])].map(parseCommandPattern);
}

/** True when the line is nothing but spelled commands of the patterns: no wrapper, expansion, substitution, redirect or assignment. */
function isPlainly(
  line: ReturnType<Awaited<ReturnType<typeof commandLineParser>>>,
  patterns: readonly CommandPattern[],
): boolean {
  const { simple, own, commands, text } = line;
  if (!simple || own.length === 0 || commands.length !== own.length || /[<>]/.test(text)) return false;
  if (own.some(({ words, apart }) => apart !== undefined || words.some((word) => typeof word !== 'string')))
    return false;
  return coverage(line, patterns).covered;
}

/** The subject decides, as for the permissions: a name that says nothing is inside. */
function lineOf({ tool, input }: ToolCall): string | undefined {
  const subject = tool?.subject?.(input);
  return subject?.type === 'command' ? subject.line : undefined;
}
