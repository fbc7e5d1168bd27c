const MAX_ALTERNATIVES = 256;
/** Characters of all alternatives together. */
const MAX_CHARACTERS = 1_000_000;

/**
 * Expands `{a,b}`, nested ones too; braces without a comma are literal. Undefined for more than 256 alternatives, or more than a million
 * characters in all.
 */
export function expandBraces(pattern: string): string[] | undefined {
  const groups = groupsIn(pattern);
  if (groups.length === 0) return [pattern];
  // Each group adds one alternative at least.
  if (groups.length >= MAX_ALTERNATIVES || groups.length * pattern.length > MAX_CHARACTERS) return undefined;
  const expanded = expandFirst(pattern, groups);
  return expanded && expanded.length * pattern.length <= MAX_CHARACTERS ? expanded : undefined;
}

interface Group {
  readonly start: number;
  readonly end: number;
  /** Its own commas, not those of nested groups. */
  readonly commas: readonly number[];
}

function expandFirst(pattern: string, groups: readonly Group[] = groupsIn(pattern)): string[] | undefined {
  const [group] = groups;
  if (!group) return [pattern];
  const { start, end, commas } = group;
  const expanded: string[] = [];
  for (const [at, comma] of [start, ...commas].entries()) {
    const option = pattern.slice(comma + 1, commas[at] ?? end);
    const alternatives = expandFirst(pattern.slice(0, start) + option + pattern.slice(end + 1));
    if (!alternatives || expanded.length + alternatives.length > MAX_ALTERNATIVES) return undefined;
    expanded.push(...alternatives);
  }
  return expanded;
}

/** The closed braces that contain a comma, in the order of their beginnings. */
function groupsIn(pattern: string): Group[] {
  const open: { start: number; commas: number[] }[] = [];
  const found: Group[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === '\\') at += 1;
    else if (character === '{') open.push({ start: at, commas: [] });
    else if (character === ',') open.at(-1)?.commas.push(at);
    else if (character === '}') {
      const { start, commas } = open.pop() ?? { start: at, commas: [] };
      if (commas.length > 0) found.push({ start, end: at, commas });
    }
  }
  return found.sort((one, other) => one.start - other.start);
}
