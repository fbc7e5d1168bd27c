import type { Node, Run } from './node.ts';
import type { Resource } from './resources.ts';

/** A node that is evaluated inside its own resource. */
export function entering(resource: Resource, inner: Node): Node {
  const inside = <T>(run: Run, ask: () => T): T => {
    run.scope.push(resource);
    const answer = ask();
    run.scope.pop();
    return answer;
  };
  return {
    valid: (value, run) => inside(run, () => inner.valid(value, run)),
    collect: (value, path, run, found) => inside(run, () => inner.collect(value, path, run, found)),
    mark: (value, run, seen) => inside(run, () => inner.mark?.(value, run, seen)),
    fill: (value, run) => inside(run, () => (inner.fill ? inner.fill(value, run) : value)),
  };
}

/** The node of the outermost entered resource that has one, else the one that the reference names (core 8.2.3.2). */
export function dynamicTarget(candidates: ReadonlyMap<unknown, Node>, otherwise: Node): Node {
  const chosen = (run: Run): Node => {
    for (const resource of run.scope) {
      const node = candidates.get(resource);
      if (node) return node;
    }
    return otherwise;
  };
  return {
    valid: (value, run) => chosen(run).valid(value, run),
    collect: (value, path, run, found) => chosen(run).collect(value, path, run, found),
    mark: (value, run, seen) => chosen(run).mark?.(value, run, seen),
    fill: (value, run) => chosen(run).fill?.(value, run) ?? value,
  };
}
