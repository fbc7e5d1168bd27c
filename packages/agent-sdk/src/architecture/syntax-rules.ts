import { isSource, isTest, lineAt, packageOf, type Rule, type SourceText, type Violation } from './source-text.ts';
import { isNode, lastName, leadingText, parse, type SyntaxNode, walk } from './syntax-tree.ts';

/** Names are exported one by one, and sources run with their types stripped. */
export const exportShapeRule: Rule = (files) =>
  eachNode(files.filter(isSource), (node, _parents, file) => {
    if (node.type === 'ExportAllDeclaration' && packageOf(file.path) !== 'agent-sdk')
      return 'export * outside agent-sdk';
    if (node.type === 'ExportDefaultDeclaration') {
      return 'export default';
    }
    if (node.type === 'TSEnumDeclaration') return 'enum';
    return node.type === 'TSModuleDeclaration' && node['kind'] !== 'global' ? 'namespace' : undefined;
  });

/** `journal.write` is awaited or returned, directly, or kept under a name that the same function awaits (decision 0002). */
export const journalWriteRule: Rule = (files) =>
  eachNode(writtenSources(files), (node, parents) => {
    if (node.type !== 'CallExpression' || lastName(node['callee']) !== 'write') return undefined;
    if (!isNode(node['callee']) || !/journal$/i.test(lastName(node['callee']['object']) ?? '')) return undefined;
    const parent = parents.find(({ type }) => type !== 'ParenthesizedExpression' && type !== 'ChainExpression');
    if (parent && ['AwaitExpression', 'ReturnStatement'].includes(parent.type)) return undefined;
    if (parent?.type === 'ArrowFunctionExpression' || isAwaitedLater(keptName(parent), parents)) return undefined;
    return 'journal.write without await';
  });

/** The name a value is kept under. */
function keptName(parent: SyntaxNode | undefined): string | undefined {
  if (parent?.type === 'VariableDeclarator') return lastName(parent['id']);
  return parent?.type === 'AssignmentExpression' ? lastName(parent['left']) : undefined;
}

function isAwaitedLater(name: string | undefined, parents: readonly SyntaxNode[]): boolean {
  const own = parents.find(({ type }) => type.includes('Function'));
  if (name === undefined || !own) return false;
  let awaited = false;
  walk(own, (node) => {
    awaited ||= node.type === 'AwaitExpression' && lastName(node['argument']) === name;
  });
  return awaited;
}

/** Nothing here runs git: the state of a repository belongs to its owner. */
export const gitRule: Rule = (files) =>
  eachNode(writtenSources(files), (node) => {
    if (node.type !== 'CallExpression' || !startsProgram(node['callee'])) return undefined;
    let runsGit = false;
    for (const argument of node['arguments'] as readonly SyntaxNode[]) {
      walk(argument, (inner) => {
        if (/^\s*(\S*[/\\])?git(\.exe)?(\s|$)/.test(leadingText(inner) ?? '')) runsGit = true;
      });
    }
    return runsGit ? 'runs git' : undefined;
  });

/** `exec` is also what a pattern does with a text: as a method it counts on a module of processes only. */
function startsProgram(callee: unknown): boolean {
  const name = lastName(callee) ?? '';
  if (!/^(spawn|exec|execFile|fork)(Sync)?$|^(execa|spawnProcess|runCommand)$/.test(name)) return false;
  if (name !== 'exec' || !isNode(callee) || callee.type !== 'MemberExpression') return true;
  return /process|^cp$/i.test(lastName(callee['object']) ?? '');
}

function eachNode(
  files: readonly SourceText[],
  judge: (node: SyntaxNode, parents: readonly SyntaxNode[], file: SourceText) => string | undefined,
): readonly Violation[] {
  return files.flatMap((file) => {
    const found: Violation[] = [];
    walk(parse(file), (node, parents) => {
      const message = judge(node, parents, file);
      if (message) found.push({ path: file.path, line: lineAt(file.text, node.start), message });
    });
    return found;
  });
}

function writtenSources(files: readonly SourceText[]): readonly SourceText[] {
  return files.filter((file) => isSource(file) && !isTest(file));
}
