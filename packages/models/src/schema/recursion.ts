import type { Dialect } from './dialect.ts';
import { inexpressible } from './schema-node.ts';

/** A property through which alone a reference is reached. */
export interface Property {
  readonly name: string;
  /** Makes the property optional. */
  readonly release: () => void;
}
/** A reference from one definition to another, or to itself; the root's name is empty. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  /** Pointer of the reference. */
  readonly pointer: string;
  /** The nearest required property around it; `optional` when one around it is not required. */
  readonly property: Property | 'optional' | undefined;
}

/**
 * Allows recursion only where the service accepts it, making required properties optional if that suffices.
 * @throws ValidationError
 */
export function settleRecursion(edges: readonly Edge[], { recursion, service, advice }: Dialect): void {
  if (recursion === 'anywhere') return;
  const hard = edges.filter(({ property }) => recursion === 'nowhere' || property !== 'optional');
  const inCircle = circles(hard);
  for (const { from, to, pointer, property } of hard) {
    if (inCircle.get(from) === undefined || inCircle.get(from) !== inCircle.get(to)) continue;
    if (recursion === 'nowhere' || property === undefined || property === 'optional') {
      throw inexpressible(
        pointer,
        '$ref',
        `makes the schema refer to itself, which ${service} does not take; ${advice}`,
      );
    }
    property.release();
  }
}

/** The strongly connected components that contain a cycle, by the name of each definition in one (Tarjan). */
function circles(edges: readonly Edge[]): ReadonlyMap<string, number> {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const path: string[] = [];
  const found = new Map<string, number>();
  const visit = (name: string): number => {
    const index = order.size;
    order.set(name, index);
    let lowest = index;
    path.push(name);
    for (const to of next.get(name) ?? []) {
      const known = order.get(to);
      if (known === undefined) lowest = Math.min(lowest, visit(to));
      else if (path.includes(to)) lowest = Math.min(lowest, known);
    }
    low.set(name, lowest);
    if (lowest === index) {
      const members = path.splice(path.indexOf(name));
      if (members.length > 1 || next.get(name)?.includes(name)) for (const member of members) found.set(member, index);
    }
    return lowest;
  };
  for (const name of next.keys()) if (!order.has(name)) visit(name);
  return found;
}
