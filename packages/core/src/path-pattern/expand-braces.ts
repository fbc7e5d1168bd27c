const MAX_ALTERNATIVES = 256;

/** Alternatives of `{a,b}`, nested ones too; braces without a comma are plain characters. */
export function expandBraces(pattern: string): string[] | undefined {
  const group = firstGroup(pattern);
  if (!group) return [pattern];
  const expanded: string[] = [];
  for (const option of group.options) {
    const alternatives = expandBraces(pattern.slice(0, group.start) + option + pattern.slice(group.end + 1));
    if (!alternatives || expanded.length + alternatives.length > MAX_ALTERNATIVES) return undefined;
    expanded.push(...alternatives);
  }
  return expanded;
}

interface Group {
  readonly start: number;
  readonly end: number;
  readonly options: readonly string[];
}

function firstGroup(pattern: string): Group | undefined {
  for (let start = 0; start < pattern.length; start += 1) {
    if (pattern[start] === '\\') start += 1;
    else if (pattern[start] === '{') {
      const group = groupAt(pattern, start);
      if (group) return group;
    }
  }
  return undefined;
}

function groupAt(pattern: string, start: number): Group | undefined {
  const options: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === '\\') at += 1;
    else if (character === '{') depth += 1;
    else if (character === ',' && depth === 1) {
      options.push(pattern.slice(from, at));
      from = at + 1;
    } else if (character === '}') {
      depth -= 1;
      if (depth === 0)
        return options.length > 0 ? { start, end: at, options: [...options, pattern.slice(from, at)] } : undefined;
    }
  }
  return undefined;
}
