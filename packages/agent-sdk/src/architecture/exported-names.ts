import { isRelative, resolveRelative, splitSpecifier } from './imports.ts';
import type { Rule, SourceText } from './source-text.ts';
import { isNode, leadingText, parse, type SyntaxNode } from './syntax-tree.ts';

/** The exported names of each entry point of a package; a type is written `type Name`. */
export type ExportedNames = Readonly<Record<string, readonly string[]>>;

/** The names of every package by its folder, read from the sources of its entry points. */
export function exportedNames(files: readonly SourceText[]): ReadonlyMap<string, ExportedNames> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const entries = entryPoints(files);
  const namesOf = (path: string): readonly string[] => {
    const file = byPath.get(path);
    if (!file) return [`missing file ${path}`];
    return statementsOf(file).flatMap((node) =>
      node.type === 'ExportAllDeclaration' ? allNames(file, node, entries, namesOf) : namedNames(node),
    );
  };
  const folders = new Map<string, Record<string, readonly string[]>>();
  for (const { folder, subPath, path } of entries.values()) {
    folders.set(folder, { ...folders.get(folder), [subPath]: [...new Set(namesOf(path))].toSorted(byName) });
  }
  return folders;
}

/** The names in the sources are those in `etc/exports.json`, so that a change of the interface is seen and meant. */
export const pinnedExportsRule: Rule = (files) =>
  [...exportedNames(files)].flatMap(([folder, actual]) => {
    const path = `${folder}/etc/exports.json`;
    const pin = files.find((file) => file.path === path);
    const pinned = pin ? (JSON.parse(pin.text) as ExportedNames) : {};
    const changes = [...new Set([...Object.keys(actual), ...Object.keys(pinned)])].flatMap((subPath) =>
      difference(subPath, pinned[subPath] ?? [], actual[subPath] ?? []),
    );
    const advice = 'if this is meant, run: node scripts/update-exports.mjs';
    return changes.length > 0 ? [{ path, line: 1, message: `${changes.join(', ')}; ${advice}` }] : [];
  });

interface EntryPoint {
  readonly folder: string;
  readonly subPath: string;
  readonly path: string;
}

function entryPoints(files: readonly SourceText[]): ReadonlyMap<string, EntryPoint> {
  const manifests = files.filter(({ path }) => path.endsWith('/package.json'));
  return new Map(
    manifests.flatMap(({ path, text }) => {
      const folder = path.replace(/\/package\.json$/, '');
      const manifest = JSON.parse(text) as { name: string; exports?: Record<string, Record<string, string> | string> };
      return Object.entries(manifest.exports ?? {}).flatMap(([subPath, target]) => {
        const source = typeof target === 'string' ? undefined : target['@x/source'];
        if (!source) return [];
        const entry = { folder, subPath, path: source.replace(/^\./, folder) };
        return [[manifest.name + subPath.slice(1), entry] as const];
      });
    }),
  );
}

function statementsOf(file: SourceText): readonly SyntaxNode[] {
  return parse(file)['body'] as readonly SyntaxNode[];
}

function allNames(
  file: SourceText,
  node: SyntaxNode,
  entries: ReadonlyMap<string, EntryPoint>,
  namesOf: (path: string) => readonly string[],
): readonly string[] {
  if (isNode(node['exported'])) return [textOf(node['exported'])];
  const specifier = leadingText(node['source']) ?? '';
  if (isRelative(specifier)) return namesOf(resolveRelative(file, specifier));
  const { name, subPath } = splitSpecifier(specifier);
  const entry = entries.get(name + subPath.slice(1));
  return entry ? namesOf(entry.path) : [`missing entry point ${specifier}`];
}

function namedNames(node: SyntaxNode): readonly string[] {
  if (node.type === 'ExportDefaultDeclaration') return ['default'];
  if (node.type !== 'ExportNamedDeclaration') return [];
  const specifiers = (node['specifiers'] as readonly SyntaxNode[]).map((specifier) =>
    marked(textOf(specifier['exported']), node['exportKind'] === 'type' || specifier['exportKind'] === 'type'),
  );
  return isNode(node['declaration']) ? [...specifiers, ...declaredNames(node['declaration'])] : specifiers;
}

function declaredNames(declaration: SyntaxNode): readonly string[] {
  if (declaration.type === 'VariableDeclaration') {
    return (declaration['declarations'] as readonly SyntaxNode[]).map(({ id }) => textOf(id));
  }
  const isType = ['TSInterfaceDeclaration', 'TSTypeAliasDeclaration'].includes(declaration.type);
  return [marked(textOf(declaration['id']), isType)];
}

function textOf(node: unknown): string {
  return isNode(node) ? String(node['name'] ?? node['value']) : '';
}

function marked(name: string, isType: boolean): string {
  return isType ? `type ${name}` : name;
}

function byName(left: string, right: string): number {
  const [a, b] = [left.replace(/^type /, ''), right.replace(/^type /, '')];
  return a < b ? -1 : Number(a > b);
}

function difference(subPath: string, pinned: readonly string[], actual: readonly string[]): readonly string[] {
  const added = actual.filter((name) => !pinned.includes(name)).map((name) => `'${subPath}' gained ${name}`);
  return [...added, ...pinned.filter((name) => !actual.includes(name)).map((name) => `'${subPath}' lost ${name}`)];
}
