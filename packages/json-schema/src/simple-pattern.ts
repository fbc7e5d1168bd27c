/** One character, or one of a class, with its repetition. */
const ATOM =
  /(?:\.|\\[dwDW.\-/\\*+?()[\]{}|^$]|\[\^?(?:\\[dw.\-/\\\]]|[^\\\]^[])+\]|[A-Za-z0-9 _:/@#%&=,;!~<>'"-])([*+?]|\{\d{1,3}(?:,\d{0,3})?\})?/y;
/** Maximum number of ways to match the bounded repetitions. */
const MOST_WAYS = 64;

/**
 * The pattern as a `RegExp`, when its form alone proves that matching takes time linear in the text: anchored at both ends, a sequence of
 * single characters and classes, at most one of them repeated without bound, few ways to match the others. Undefined for any other pattern.
 */
export function simplePattern(source: string): RegExp | undefined {
  if (source.length > 256 || !source.startsWith('^') || !source.endsWith('$')) return undefined;
  const body = source.slice(1, -1);
  let [ways, endless] = [1, 0];
  for (let at = 0; at < body.length; ) {
    ATOM.lastIndex = at;
    const atom = ATOM.exec(body);
    if (!atom) return undefined;
    at = ATOM.lastIndex;
    const readings = readingsOf(atom[1]);
    if (readings === Infinity) endless++;
    else ways *= readings;
  }
  if (endless > 1 || ways > MOST_WAYS) return undefined;
  try {
    return new RegExp(source, 'u');
  } catch {
    return undefined;
  }
}

function readingsOf(times: string | undefined): number {
  if (times === undefined) return 1;
  if (times === '*' || times === '+') return Infinity;
  if (times === '?') return 2;
  const [least = '', most] = times.slice(1, -1).split(',');
  if (most === undefined) return 1;
  return most === '' ? Infinity : Number(most) - Number(least) + 1;
}
