/** True when one name, a path segment, matches. */
export type SegmentPattern = (name: string) => boolean;

type Token = { readonly type: 'star' } | { readonly type: 'one'; readonly accepts: (character: string) => boolean };

/**
 * Compiles a wildcard pattern for one name: `*` any run, `?` any character, `[a-z]` and `[!a-z]` sets, `\` makes the next character
 * literal. Takes time at most proportional to name times pattern.
 */
export function segmentPattern(pattern: string): SegmentPattern {
  if (!/[*?[\\]/.test(pattern)) return (name) => name === pattern;
  const tokens = tokensOf(Array.from(pattern));
  return (name) => matches(tokens, Array.from(name));
}

/** True when the pattern matches only its own text. */
export function isLiteral(pattern: string): boolean {
  return !/[*?[\\{]/.test(pattern);
}

// Only the last star needs a second try: an earlier one cannot match more than the later one.
function matches(tokens: readonly Token[], name: readonly string[]): boolean {
  let at = 0;
  let retry: { token: number; at: number } | undefined;
  for (let token = 0; token < tokens.length || at < name.length; ) {
    const next = tokens[token];
    if (next?.type === 'star') {
      retry = { token, at };
      token += 1;
    } else if (next && at < name.length && next.accepts(name[at]!)) {
      token += 1;
      at += 1;
    } else {
      if (!retry || retry.at >= name.length) return false;
      retry = { token: retry.token, at: retry.at + 1 };
      token = retry.token + 1;
      at = retry.at;
    }
  }
  return true;
}

function tokensOf(pattern: readonly string[]): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at]!;
    const set = character === '[' ? setAt(pattern, at) : undefined;
    if (set) {
      tokens.push({ type: 'one', accepts: set.accepts });
      at = set.end;
    } else if (character === '*') {
      if (tokens.at(-1)?.type !== 'star') tokens.push({ type: 'star' });
    } else if (character === '?') tokens.push({ type: 'one', accepts: () => true });
    else {
      if (character === '\\' && at + 1 < pattern.length) at += 1;
      const literal = pattern[at]!;
      tokens.push({ type: 'one', accepts: (other) => other === literal });
    }
  }
  return tokens;
}

/** The set that begins at `start`; undefined when it is not closed, and the bracket is literal. */
function setAt(
  pattern: readonly string[],
  start: number,
): { end: number; readonly accepts: (character: string) => boolean } | undefined {
  const negated = pattern[start + 1] === '!' || pattern[start + 1] === '^';
  const first = start + (negated ? 2 : 1);
  const ranges: [number, number][] = [];
  for (let at = first; at < pattern.length; at += 1) {
    if (pattern[at] === ']' && at > first) {
      return { end: at, accepts: (character) => within(ranges, character) !== negated };
    }
    if (pattern[at] === '\\' && at + 1 < pattern.length) at += 1;
    const low = pattern[at]!.codePointAt(0)!;
    const isRange = pattern[at + 1] === '-' && pattern[at + 2] !== undefined && pattern[at + 2] !== ']';
    if (isRange) at += pattern[at + 2] === '\\' && pattern[at + 3] !== undefined ? 3 : 2;
    ranges.push([low, isRange ? pattern[at]!.codePointAt(0)! : low]);
  }
  return undefined;
}

function within(ranges: readonly (readonly [number, number])[], character: string): boolean {
  const point = character.codePointAt(0)!;
  return ranges.some(([low, high]) => point >= low && point <= high);
}
