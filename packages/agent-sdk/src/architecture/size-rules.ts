import { isSource, isTest, isTestKit, lineAt, type Rule, type SourceText, type Violation } from './source-text.ts';
import { lastName, parse, type SyntaxNode, walk } from './syntax-tree.ts';

const maxFileLines = 300;
const maxFunctionLines = 60;

/** A file over the limit holds a second concept, tests too. */
export const fileLengthRule: Rule = (files) =>
  files.filter(isSource).flatMap((file) => {
    const lines = file.text.replace(/\n$/, '').split('\n').length;
    const message = `${lines} lines; the limit is ${maxFileLines}`;
    return lines > maxFileLines ? [{ path: file.path, line: maxFileLines + 1, message }] : [];
  });

/** A function over the limit does a second thing. What declares tests, in tests and test kits, is a list and no function. */
export const functionLengthRule: Rule = (files) =>
  files.filter((file) => isSource(file) && !isTest(file)).flatMap(longFunctions);

function longFunctions(file: SourceText): readonly Violation[] {
  const found: Violation[] = [];
  walk(parse(file), (node, parents) => {
    if (!['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(node.type)) return;
    const line = lineAt(file.text, node.start);
    const lines = lineAt(file.text, node.end) - line + 1;
    if (lines <= maxFunctionLines || (isTestKit(file) && declaresTests(node))) return;
    found.push({
      path: file.path,
      line,
      message: `${nameOf(node, parents)} has ${lines} lines; the limit is ${maxFunctionLines}`,
    });
  });
  return found;
}

function nameOf(node: SyntaxNode, parents: readonly SyntaxNode[]): string {
  const name = lastName(node['id']) ?? lastName(parents[0]?.['key']) ?? lastName(parents[0]?.['id']);
  return name ? `'${name}'` : 'a function';
}

function declaresTests(node: SyntaxNode): boolean {
  let declares = false;
  walk(node, (inner) => {
    if (inner.type === 'CallExpression' && ['it', 'test', 'describe'].includes(lastName(inner['callee']) ?? ''))
      declares = true;
  });
  return declares;
}
