import { dirname, join } from 'node:path/posix';
import type { SourceText } from './source-text.ts';
import { lineAt } from './source-text.ts';
import { isNode, leadingText, parse, type SyntaxNode, walk } from './syntax-tree.ts';

/** One import or re-export of a file. */
export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** Erased by the compiler: nothing is loaded at run time. */
  readonly typeOnly: boolean;
  /** `await import()`. */
  readonly dynamic: boolean;
}

const known = new WeakMap<SourceText, readonly Import[]>();

export function importsOf(file: SourceText): readonly Import[] {
  const before = known.get(file);
  if (before) return before;
  const found: Import[] = [];
  walk(parse(file), (node) => {
    const source = importedSource(node);
    const specifier = leadingText(source);
    if (specifier === undefined) return;
    found.push({
      specifier,
      line: lineAt(file.text, node.start),
      typeOnly: isTypeOnly(node),
      dynamic: node.type === 'ImportExpression',
    });
  });
  known.set(file, found);
  return found;
}

/** The package of a specifier and its sub-path: `@x/core/testing` is `@x/core` and `./testing`. */
export function splitSpecifier(specifier: string): { readonly name: string; readonly subPath: string } {
  const parts = specifier.split('/');
  const length = specifier.startsWith('@') ? 2 : 1;
  const rest = parts.slice(length).join('/');
  return { name: parts.slice(0, length).join('/'), subPath: rest ? `./${rest}` : '.' };
}

export function isRelative(specifier: string): boolean {
  return specifier.startsWith('.') || specifier.startsWith('/');
}

/** The path from the root that a relative import means. */
export function resolveRelative(file: SourceText, specifier: string): string {
  return join(dirname(file.path), specifier);
}

function importedSource(node: SyntaxNode): unknown {
  if (node.type === 'TSImportType') return node['source'] ?? node['argument'];
  const loads = ['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration', 'ImportExpression'];
  return loads.includes(node.type) ? node['source'] : undefined;
}

/** True also for `import { type A, type B }`; `import {}` and `import 'x'` load the module. */
function isTypeOnly(node: SyntaxNode): boolean {
  if (node.type === 'TSImportType') return true;
  if (node['importKind'] === 'type' || node['exportKind'] === 'type') return true;
  const specifiers = Array.isArray(node['specifiers']) ? node['specifiers'].filter(isNode) : [];
  const isType = (item: SyntaxNode): boolean => item['importKind'] === 'type' || item['exportKind'] === 'type';
  return specifiers.length > 0 && specifiers.every(isType);
}
