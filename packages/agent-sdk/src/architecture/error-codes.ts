import { isTest, isTestKit, type SourceText } from './source-text.ts';
import { isNode, parse, type SyntaxNode, walk } from './syntax-tree.ts';

/** The meaning of a code: the class of the error and its HTTP status, `varies` where that comes from outside. */
export interface ErrorMeaning {
  readonly code: string;
  readonly type: string;
  readonly statusCode: number | 'varies';
}

const CODE = /^[A-Z][A-Z0-9_]+$/;
/** Classes whose code is said where they are made; all others say it themselves. */
const BASES = ['AgentError', 'MCPError', 'ToolError'];

/** Every code of the sources with what it says, once for each different meaning, sorted. */
export function errorMeanings(files: readonly SourceText[]): readonly ErrorMeaning[] {
  const found = new Map<string, ErrorMeaning>();
  for (const file of files.filter((one) => one.path.endsWith('.ts') && !isTest(one) && !isTestKit(one))) {
    if (!/Error\b/.test(file.text)) continue;
    const program = parse(file);
    walk(program, (node) => {
      for (const meaning of meaningsAt(node, program)) found.set(textOf(meaning), meaning);
    });
  }
  return [...found.values()].toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
}

/** `TIMEOUT TimeoutError 408` */
export function textOf({ code, type, statusCode }: ErrorMeaning): string {
  return `${code} ${type} ${statusCode}`;
}

function meaningsAt(node: SyntaxNode, program: SyntaxNode): readonly ErrorMeaning[] {
  if (node.type === 'ClassDeclaration' && isNode(node['superClass'])) return meaningsOfClass(node, program);
  const callee = node.type === 'NewExpression' && isNode(node['callee']) ? String(node['callee']['name']) : '';
  return BASES.includes(callee) ? saidIn(node['arguments'] as readonly SyntaxNode[], callee) : [];
}

/** The codes that the constructor passes to the base, or of a table in the file, each with its status. */
function meaningsOfClass(node: SyntaxNode, program: SyntaxNode): readonly ErrorMeaning[] {
  const type = isNode(node['id']) ? String(node['id']['name']) : '';
  if (!type.endsWith('Error') || type === 'AgentError') return [];
  const said: ErrorMeaning[] = [];
  walk(node, (inner) => {
    const isSuper = inner.type === 'CallExpression' && isNode(inner['callee']) && inner['callee'].type === 'Super';
    if (isSuper) said.push(...saidIn(inner['arguments'] as readonly SyntaxNode[], type));
    if (inner.type === 'AssignmentPattern') said.push(...saidIn([inner['right'] as SyntaxNode], type));
  });
  return said.length > 0 ? said : tableIn(program, type);
}

function saidIn(values: readonly SyntaxNode[], type: string): readonly ErrorMeaning[] {
  const [code, status] = values.slice(1);
  if (isCode(code)) return [{ code: String(code['value']), type, statusCode: numberOf(status) ?? 500 }];
  return values.flatMap((value) => {
    const said = propertyOf(value, 'code');
    if (!isCode(said)) return [];
    const statusCode = propertyOf(value, 'statusCode');
    return [{ code: String(said['value']), type, statusCode: statusCode ? (numberOf(statusCode) ?? 'varies') : 500 }];
  });
}

function tableIn(program: SyntaxNode, type: string): readonly ErrorMeaning[] {
  const found: ErrorMeaning[] = [];
  walk(program, (node) => {
    if (node.type !== 'VariableDeclarator' || !isNode(node['init']) || node['init'].type !== 'TSAsExpression') return;
    for (const property of propertiesOf(node['init']['expression'])) {
      const code = nameOf(property);
      const statusCode = numberOf(property['value']);
      if (CODE.test(code) && statusCode !== undefined) found.push({ code, type, statusCode });
    }
  });
  return found;
}

function propertyOf(value: SyntaxNode, name: string): SyntaxNode | undefined {
  const property = propertiesOf(value).find((one) => nameOf(one) === name);
  return isNode(property?.['value']) ? property['value'] : undefined;
}

function propertiesOf(value: unknown): readonly SyntaxNode[] {
  if (!isNode(value) || value.type !== 'ObjectExpression') return [];
  return (value['properties'] as readonly SyntaxNode[]).filter(({ type }) => type === 'Property');
}

function nameOf({ key }: SyntaxNode): string {
  return isNode(key) ? String(key['name'] ?? key['value']) : '';
}

function isCode(node: SyntaxNode | undefined): node is SyntaxNode {
  return node?.type === 'Literal' && typeof node['value'] === 'string' && CODE.test(node['value']);
}

function numberOf(node: unknown): number | undefined {
  return isNode(node) && node.type === 'Literal' && typeof node['value'] === 'number' ? node['value'] : undefined;
}
