import type { ParameterExpansionPart, SyntaxNode, TestExpression, Word } from 'unbash';
import type { VariableNames } from './variable-names.ts';
import { maySplit, wordValue } from './word-value.ts';

/**
 * Reasons why syntax other than a command may run text that is not named; notes the variables that the node sets to text or uses as
 * numbers.
 */
export function evaluated(node: SyntaxNode, names: VariableNames): readonly string[] {
  return reasons(node, names).filter((reason) => reason !== undefined);
}

function reasons(node: SyntaxNode, names: VariableNames): readonly (string | undefined)[] {
  switch (node.type) {
    case 'Word':
      return [node.parts ? undefined : unread(node.text, /`|\$[({[]|[<>]\(/)];
    case 'Literal':
      return [unread(node.text, /`|\$[({[]/)];
    case 'ArithmeticWord':
      return [names.useNumber(node), node.parts ? undefined : unread(node.value, /`|\$[({[]/)];
    case 'ArithmeticCommandExpansion':
      return ['the output of a command is evaluated as a number'];
    case 'ArithmeticExpansion':
      return [!node.expression && /\w/.test(node.text) ? 'arithmetic that is not understood' : undefined];
    case 'ArithmeticCommand':
      return [!node.expression && node.body.trim() !== '' ? 'arithmetic that is not understood' : undefined];
    case 'Assignment':
      return [node.index && subscript(node.index, names)];
    case 'ArrayValue':
      return node.elements.map((element) => elementSubscript(element, names));
    case 'ParameterExpansion':
      return parameter(node, names);
    case 'TestUnary':
    case 'TestBinary':
      return test(node, names);
    case 'For':
    case 'Select': {
      const name = wordValue(node.name);
      if (name !== undefined) names.assign(name, node.wordlist);
      return [];
    }
    case 'Command':
      return testBuiltin(node, names);
    case 'Redirect':
      return node.target && /^[<>]&$/.test(node.operator) ? [duplicated(node.target, names)] : [];
    case 'FileDescriptorVariable':
      return [/^\w+$/.test(node.name) ? undefined : 'a descriptor is kept under a name that is evaluated'];
    default:
      return [];
  }
}

/** The text after `>&` is expanded, and once more when it turns out to be a file. */
function duplicated(target: Word, names: VariableNames): string | undefined {
  const value = wordValue(target);
  if (value === undefined) return names.useNumber(target);
  return /[$`<>]/.test(value) ? 'the text behind >& is expanded twice' : undefined;
}

/** Checks text that the parser leaves unread, such as that after an array, for an expansion. */
function unread(text: string, sign: RegExp): string | undefined {
  return sign.test(text.replace(/\\[\s\S]/g, '_')) ? 'the line holds an expansion that is not understood' : undefined;
}

function parameter(node: ParameterExpansionPart, names: VariableNames): readonly (string | undefined)[] {
  const { prefix, parameter: name, index, operation } = node;
  const found: (string | undefined)[] = [index && subscript(index, names)];
  const isList = index && /^[@*]$/.test(index.text);
  if (prefix === '!' && operation?.type !== 'Names' && !isList)
    found.push('the value of a variable is evaluated as a name');
  if (operation?.type === 'Transform' && !/^[ULuQEAKaku]$/.test(operation.operand.text)) {
    found.push('the value of a variable is evaluated as a prompt');
  }
  if (operation?.type === 'Slice') {
    found.push(names.useNumber(operation.offset), operation.length && names.useNumber(operation.length));
  }
  if (operation?.type === 'Default' && operation.operator.endsWith('=')) names.assign(name, [operation.operand]);
  return found;
}

// The key of an associative array is text, and looks the same: plain quoted words are let through.
function subscript(index: Word, names: VariableNames): string | undefined {
  if (/^[@*]$/.test(index.text)) return undefined;
  const value = wordValue(index);
  const isPlain = value !== undefined && /^[\w .:/@+-]*$/.test(value);
  return names.useNumber(isPlain ? { value } : index);
}

/** Checks the text in the brackets of `a=([x]=1)`, which the parser leaves as a part of the word. */
function elementSubscript({ text, parts = [] }: Word, names: VariableNames): string | undefined {
  if (!text.startsWith('[')) return undefined;
  const plain = /^\[(["']?)([\w .:/@+-]*)\1\]\+?=/.exec(text);
  if (plain) return names.useNumber({ value: plain[2]! });
  const [, variable] = parts;
  const isVariable = variable?.type === 'SimpleExpansion' || variable?.type === 'DoubleQuoted';
  if (isVariable && parts[0]?.text === '[') return names.useNumber({ value: '', parts: [variable] });
  return /\]\+?=/.test(text) ? 'a subscript that is not understood' : undefined;
}

function test(
  node: Extract<TestExpression, { type: 'TestUnary' | 'TestBinary' }>,
  names: VariableNames,
): readonly (string | undefined)[] {
  if (node.type === 'TestBinary') {
    return /^-(eq|ne|lt|le|gt|ge)$/.test(node.operator)
      ? [names.useNumber(node.left), names.useNumber(node.right)]
      : [];
  }
  if (node.operator !== '-v' && node.operator !== '-R') return [];
  return [/^\w+$/.test(wordValue(node.operand) ?? '') ? undefined : '[[ -v evaluates its argument'];
}

/** `[ $x ]` may become `[ -v .. ]` when the variable was given such a text. */
function testBuiltin(
  { name, args }: Extract<SyntaxNode, { type: 'Command' }>,
  names: VariableNames,
): readonly (string | undefined)[] {
  if (!name || !/^(test|\[)$/.test(wordValue(name) ?? '')) return [];
  for (const word of args) {
    if (word.type !== 'Word' || !maySplit(word)) continue;
    for (const part of word.parts ?? []) {
      if (part.type === 'SimpleExpansion') names.use(part.text.slice(1));
      if (part.type === 'ParameterExpansion' && part.prefix === undefined) names.use(part.parameter);
    }
  }
  return [];
}
