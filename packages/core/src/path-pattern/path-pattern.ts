import { type SegmentPattern, segmentPattern } from './segment-pattern.ts';

/** A compiled pattern for paths, given as their segments. */
export interface PathPattern {
  matches(segments: readonly string[]): boolean;
  /** True when the path, or a directory around it, matches. */
  touches(segments: readonly string[]): boolean;
  /** False when nothing below this directory can match. */
  mayHold(directory: readonly string[]): boolean;
}

interface Step {
  /** `**`: any number of segments; the last one at least one. */
  readonly many: boolean;
  readonly accepts: SegmentPattern;
}

/**
 * Compiles a pattern of segments between slashes, where `**` as a whole segment matches any number of them. With `hidden` false a name that
 * begins with a dot is matched only by a segment that does too.
 */
export function pathPattern(pattern: string, { hidden }: { readonly hidden: boolean }): PathPattern {
  const parts = pattern.split('/').filter((part, index, all) => part !== '**' || all[index - 1] !== '**');
  const steps = parts.map((part): Step => {
    const named = segmentPattern(part);
    const seesDots = hidden || part.startsWith('.') || part.startsWith('\\.');
    const many = part === '**';
    return { many, accepts: (name) => (seesDots || !name.startsWith('.')) && (many || named(name)) };
  });
  return {
    matches: (segments) => reachable(steps, segments).at(steps.length) === true,
    touches: (segments) => {
      let isTouched = false;
      reachable(steps, segments, (reached) => (isTouched ||= reached[steps.length] === true));
      return isTouched;
    },
    mayHold: (directory) => reachable(steps, directory).some((reached, step) => reached && step < steps.length),
  };
}

/** The steps that may come next after the segments; the index after the last step means a complete match. */
function reachable(
  steps: readonly Step[],
  segments: readonly string[],
  see: (reached: readonly boolean[]) => void = () => undefined,
): boolean[] {
  let reached = skipping(steps, [true]);
  see(reached);
  for (const segment of segments) {
    const next: boolean[] = [];
    steps.forEach((step, index) => {
      if (!reached[index] || !step.accepts(segment)) return;
      next[index + 1] = true;
      if (step.many) next[index] = true;
    });
    reached = skipping(steps, next);
    see(reached);
  }
  return reached;
}

/** Adds the steps after each `**`, which may match nothing. */
function skipping(steps: readonly Step[], reached: boolean[]): boolean[] {
  steps.forEach((step, index) => {
    if (reached[index] && step.many && index < steps.length - 1) reached[index + 1] = true;
  });
  return reached;
}
