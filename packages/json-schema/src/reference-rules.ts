import { ValidationError } from '@x/errors';
import type { Compiling, Node, Rule, Run, SchemaObject } from './node.ts';

const MAX_DEPTH = 512;
const MAX_STEPS = 5_000_000;

/** `$ref` and `$dynamicRef`. */
export function referenceRules(schema: SchemaObject, compiling: Compiling): Rule[] {
  const { $ref: fixed, $dynamicRef: dynamic } = schema as Record<string, string | undefined>; // safe: inspected
  return [
    ...(fixed === undefined ? [] : [followed(compiling.target(fixed, schema), compiling)]),
    ...(dynamic === undefined ? [] : [followed(compiling.dynamicTarget(dynamic, schema), compiling)]),
  ];
}

/** Follows a reference late: its target may be compiled after this, or contain this. */
function followed(target: Node, compiling: Compiling): Rule {
  const valid = compiling.rememberedLate((value, run) => target.valid(value, run));
  return {
    valid(value, run) {
      enter(run);
      const answer = valid(value, run);
      run.depth--;
      return answer;
    },
    collect(value, path, run, found) {
      enter(run);
      target.collect(value, path, run, found);
      run.depth--;
    },
    mark(value, run, seen) {
      enter(run);
      target.mark?.(value, run, seen);
      run.depth--;
    },
    fill(value, run) {
      if (!target.fill) return value;
      enter(run);
      const filled = target.fill(value, run);
      run.depth--;
      return filled;
    },
  };
}

function enter(run: Run): void {
  run.steps++;
  if (++run.depth > MAX_DEPTH) throw new ValidationError(`The input is nested more than ${MAX_DEPTH} levels deep`);
  if (run.steps > MAX_STEPS) throw new ValidationError('The input takes too long to validate');
}
