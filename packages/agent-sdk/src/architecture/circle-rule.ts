import { importsOf, isRelative, resolveRelative } from './imports.ts';
import { isSource, type Rule, type SourceText, type Violation } from './source-text.ts';

/** No circle of files; imports of types count. */
export const circleRule: Rule = (files) => {
  const sources = files.filter(isSource);
  const graph = new Map(sources.map((file) => [file.path, targetsOf(file)]));
  const done = new Set<string>();
  return sources.flatMap((file) => circlesFrom(file.path, graph, done));
};

/** Depth first; every circle is found once, where it closes. */
function circlesFrom(
  start: string,
  graph: ReadonlyMap<string, readonly string[]>,
  done: Set<string>,
): readonly Violation[] {
  const found: Violation[] = [];
  const path: string[] = [];
  const visit = (file: string): void => {
    const from = path.indexOf(file);
    if (from >= 0) {
      const circle = [...path.slice(from), file].map((item) => item.replace(/^packages\//, ''));
      found.push({ path: file, line: 1, message: `circle of files: ${circle.join(' -> ')}` });
      return;
    }
    if (done.has(file)) return;
    path.push(file);
    for (const target of graph.get(file) ?? []) visit(target);
    path.pop();
    done.add(file);
  };
  visit(start);
  return found;
}

function targetsOf(file: SourceText): readonly string[] {
  return importsOf(file)
    .filter(({ specifier }) => isRelative(specifier))
    .map(({ specifier }) => resolveRelative(file, specifier));
}
