import { type CommandPattern, commandLineParser, coverage, parseCommandPattern } from '@x/command-line';
import { type ToolCall, ValidationError } from '@x/core';
import { messageOf } from '@x/core/internal';
import { isBelow } from './policy/is-below.ts';
import type { LinkedPath } from './policy/linked-out.ts';
import type { SandboxSettings } from './policy/settings.ts';

/**
 * The place of a call: `auto_allow` and `inside` run behind the wall, the first without a question; `outside` runs on the host through the
 * normal permissions; `outside_if_asked` runs on the host, or reads there, after a question that nothing answers but a person.
 */
export type CommandPlace = 'auto_allow' | 'inside' | 'outside' | 'outside_if_asked';

/** Decides where commands run, and which links out of the sandbox a call may read through. The same object is asked by the permissions and by what starts the command, so that they cannot disagree. */
export interface CommandPlacement {
  /** The place of a call; it stays the same for this call and line until the call has ended. */
  placeOf(call: ToolCall, paths?: readonly LinkedPath[]): CommandPlace;
  /** The line of this call that runs outside. */
  outsideLine(call: ToolCall): string | undefined;
  /** Opens the places that the call was judged to read through links. */
  begun(call: ToolCall): void;
  /** True for a place outside that a call under way may read, and all below it. */
  isOpen(real: string): boolean;
  /** Notes the end of a call. True when the same line may now be offered outside. */
  ended(call: ToolCall, failed: boolean): boolean;
}

const MOST_REMEMBERED = 1_000;

interface Decided {
  readonly line: string | undefined;
  readonly place: CommandPlace;
  /** Outside of the sandbox. */
  readonly places: readonly string[];
}

/** Facts of a session that places depend on. */
export interface PlacementFacts {
  /** True for a tool whose commands all run in the workspace it is given. */
  readonly isContained: (call: ToolCall) => boolean;
  /** The places outside that the paths lead to by links of the user's. */
  readonly linkedOut: (paths: readonly LinkedPath[]) => readonly string[];
}

/**
 * @throws ValidationError for a pattern that can match no command, naming its field
 */
export async function commandPlacement(
  { excludedCommands = [], allowUnsandboxedCommands = [], autoAllowBashIfSandboxed = false }: SandboxSettings,
  { isContained, linkedOut }: PlacementFacts,
): Promise<CommandPlacement> {
  const excluded = excludedCommands.flatMap((text, at) => patternsOf(text, `excludedCommands[${at}]`));
  const offered = allowUnsandboxedCommands.flatMap((text, at) => patternsOf(text, `allowUnsandboxedCommands[${at}]`));
  const parse = excluded.length + offered.length > 0 ? await commandLineParser() : undefined;
  const failedLines = new Set<string>();
  const decided = new Map<string, Decided>();
  const open = new Map<string, readonly string[]>();

  const isCoveredBy = (line: string, patterns: readonly CommandPattern[]) =>
    parse !== undefined && patterns.length > 0 && isPlainly(parse(line), patterns);
  const decide = (line: string, call: ToolCall): CommandPlace => {
    if (isCoveredBy(line, excluded)) return 'outside';
    if (failedLines.has(line) && isCoveredBy(line, offered)) return 'outside_if_asked';
    return autoAllowBashIfSandboxed && isContained(call) ? 'auto_allow' : 'inside';
  };
  return {
    placeOf(call, paths = []) {
      const line = lineOf(call);
      const known = decided.get(call.id);
      if (line !== undefined && known?.line === line) return known.place;
      const places = call.tool?.kind === 'readonly' ? linkedOut(paths) : [];
      const inside = places.length > 0 ? 'outside_if_asked' : 'inside';
      const place = line === undefined ? inside : decide(line, call);
      if (line === undefined && places.length === 0) decided.delete(call.id);
      else decided.set(call.id, { line, place, places });
      // Calls that were refused never end; what is forgotten runs inside.
      if (decided.size > MOST_REMEMBERED) decided.delete([...decided.keys()][0]!);
      return place;
    },
    outsideLine(call) {
      const line = lineOf(call);
      const known = decided.get(call.id);
      // What was not judged as this very line runs inside.
      if (line === undefined || known?.line !== line) return undefined;
      return known.place === 'outside' || known.place === 'outside_if_asked' ? line : undefined;
    },
    begun(call) {
      const { places = [] } = decided.get(call.id) ?? {};
      if (places.length > 0) open.set(call.id, places);
    },
    isOpen: (real) => [...open.values()].some((places) => places.some((place) => isBelow(real, place))),
    ended(call, failed) {
      open.delete(call.id);
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
function patternsOf(text: string, field: string): CommandPattern[] {
  try {
    return [text, ...(text.endsWith('*') ? [] : [`${text} *`])].map(parseCommandPattern);
  } catch (error) {
    throw new ValidationError(`sandbox.${field}: ${messageOf(error)}`, `sandbox.${field}`);
  }
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
