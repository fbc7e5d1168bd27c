import { basename, dirname } from 'node:path/posix';
import { importsOf, isRelative, resolveRelative } from './imports.ts';
import { isSource, isTest, type Rule, type SourceText, type Violation } from './source-text.ts';

/** No circle of files; imports of types count. */
export const circleRule: Rule = (files) => {
  const sources = files.filter(isSource);
  return circlesOf('files', new Map(sources.map((file) => [file.path, targetsOf(file)])));
};

/** No circle of folders, so that each room stands on others and none on itself; what an entry point or a test imports does not count. */
export const folderCircleRule: Rule = (files) => {
  const graph = new Map<string, Set<string>>();
  const manifests = files.filter(({ path }) => path.endsWith('/package.json')).map(({ text }) => text);
  const isEntry = ({ path }: SourceText) =>
    basename(path) === 'index.ts' || manifests.some((text) => text.includes(`"./src/${basename(path)}"`));
  for (const file of files.filter((one) => isSource(one) && !isTest(one) && !isEntry(one))) {
    const room = dirname(file.path);
    const others = targetsOf(file).map((target) => dirname(target));
    graph.set(room, new Set([...(graph.get(room) ?? []), ...others.filter((other) => other !== room)]));
  }
  return circlesOf('folders', graph);
};

function circlesOf(what: string, graph: ReadonlyMap<string, Iterable<string>>): readonly Violation[] {
  const done = new Set<string>();
  return [...graph.keys()].flatMap((start) => circlesFrom(start, { what, graph, done }));
}

/** Depth first; every circle is found once, where it closes. */
function circlesFrom(
  start: string,
  { what, graph, done }: { what: string; graph: ReadonlyMap<string, Iterable<string>>; done: Set<string> },
): readonly Violation[] {
  const found: Violation[] = [];
  const path: string[] = [];
  const visit = (place: string): void => {
    const from = path.indexOf(place);
    if (from >= 0) {
      const circle = [...path.slice(from), place].map((item) => item.replace(/^packages\//, ''));
      found.push({ path: place, line: 1, message: `circle of ${what}: ${circle.join(' -> ')}` });
      return;
    }
    if (done.has(place)) return;
    path.push(place);
    for (const target of graph.get(place) ?? []) visit(target);
    path.pop();
    done.add(place);
  };
  visit(start);
  return found;
}

function targetsOf(file: SourceText): readonly string[] {
  return importsOf(file)
    .filter(({ specifier }) => isRelative(specifier))
    .map(({ specifier }) => resolveRelative(file, specifier));
}
