import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { DependencyGraph } from './dependency-graph.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];
const name = fc.constantFrom(...names);
const edges = fc.array(fc.tuple(name, fc.uniqueArray(name, { maxLength: 3 })), { maxLength: 12, size: 'max' });

describe('DependencyGraph', () => {
  it('knows who needs a name, in the order of registration, also before there is such a tool', () => {
    const graph = new DependencyGraph();

    graph.set('one', ['base']);
    graph.set('two', ['base', 'other']);

    expect(graph.dependentsOf('base')).toEqual(['one', 'two']);
    graph.set('one', []);
    graph.delete('two');
    expect([graph.dependentsOf('base'), graph.dependentsOf('other')]).toEqual([[], []]);
  });

  test.prop([edges, name, fc.uniqueArray(name, { maxLength: 3 })])(
    'shows a way from a tool back to itself exactly when there is one',
    (given, one, needs) => {
      const { graph, needsOf } = built(given);

      const circle = graph.circle(one, needs);

      expect(circle !== undefined).toBe(reachable(needs, (at) => (at === one ? [] : needsOf(at))).has(one));
      const way = circle ?? [];
      const isWay = way.slice(1).every((to, index) => (index === 0 ? needs : needsOf(way[index] ?? '')).includes(to));
      expect([isWay, way[0], way.at(-1)]).toEqual([true, ...(circle ? [one, one] : [undefined, undefined])]);
    },
  );

  it('looks at one tool only when nobody needs what is registered, however deep it reaches', () => {
    const graph = new DependencyGraph();
    const depth = 20_000;
    const all = Array.from({ length: depth }, (_, index) => `t${index}`);
    graph.set('all', all);

    for (let index = 1; index < depth; index++) {
      const needs = [`t${index - 1}`];
      if (graph.circle(`t${index}`, needs)) throw new Error('no circle');
      graph.set(`t${index}`, needs);
    }

    expect(graph.circle('t0', [`t${depth - 1}`])).toHaveLength(depth + 1);
  });
});

function built(given: readonly (readonly [string, readonly string[]])[]) {
  const graph = new DependencyGraph();
  const model = new Map<string, readonly string[]>();
  for (const [one, needs] of given) {
    if (graph.circle(one, needs)) continue;
    graph.set(one, needs);
    model.set(one, needs);
  }
  return { graph, needsOf: (one: string) => model.get(one) ?? [] };
}

function reachable(from: readonly string[], next: (one: string) => readonly string[]): ReadonlySet<string> {
  const found = new Set(from);
  for (const one of found) for (const other of next(one)) found.add(other);
  return found;
}
