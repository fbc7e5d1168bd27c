import type { SyntaxNode } from 'unbash';

type Children = readonly (SyntaxNode | undefined)[];

/**
 * The nodes directly below a node, including those that the parser creates on first access; `undefined` for an unknown kind of node, whose
 * content cannot be checked.
 */
export function childrenOf(node: SyntaxNode): Children | undefined {
  return listChildren(node) ?? compoundChildren(node) ?? wordChildren(node) ?? expressionChildren(node);
}

function listChildren(node: SyntaxNode): Children | undefined {
  switch (node.type) {
    case 'Script':
    case 'CompoundList':
    case 'AndOr':
      return node.commands;
    case 'Statement':
      return [node.command];
    case 'Command':
      return [...node.prefix, node.name, ...node.suffix];
    case 'Pipeline':
      return [...node.prefixes, ...node.commands];
    case 'Redirected':
      return [node.command, ...node.redirects];
    case 'Redirect':
    case 'HereString':
      return [node.descriptor, node.target];
    case 'HereDoc':
      return [node.descriptor, node.delimiter, node.body];
    case 'Time':
    case 'Negation':
    case 'FileDescriptor':
    case 'FileDescriptorVariable':
    case 'HereDocDelimiter':
      return [];
    default:
      return undefined;
  }
}

function compoundChildren(node: SyntaxNode): Children | undefined {
  switch (node.type) {
    case 'If':
      return [node.clause, node.then, ...node.elif, node.else];
    case 'Elif':
      return [node.clause, node.then];
    case 'For':
    case 'Select':
      return [node.name, ...(node.wordlist ?? []), node.body];
    case 'While':
      return [node.clause, node.body];
    case 'Function':
    case 'Coproc':
      return [node.name, node.body];
    case 'Subshell':
    case 'BraceGroup':
      return [node.body];
    case 'Case':
      return [node.word, ...node.items];
    case 'CaseItem':
      return [...node.pattern, node.body];
    case 'ArithmeticFor':
      return [node.initialize, node.test, node.update, node.body];
    default:
      return undefined;
  }
}

function wordChildren(node: SyntaxNode): Children | undefined {
  switch (node.type) {
    case 'Word':
    case 'Glob':
    case 'ArithmeticWord':
    case 'HereDocBody':
    case 'BraceExpansion':
    case 'ExtendedGlob':
    case 'DoubleQuoted':
    case 'LocaleString':
      return node.parts ?? [];
    case 'ParameterExpansion':
      return [node.index, node.operation];
    case 'Default':
    case 'Remove':
    case 'Transform':
    case 'CaseModification':
      return [node.operand];
    case 'Replace':
      return [node.pattern, node.replacement];
    case 'Slice':
      return [node.offset, node.length];
    case 'Assignment':
      return [node.index, node.value];
    case 'ArrayValue':
      return node.elements;
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
    case 'SimpleExpansion':
    case 'Names':
      return [];
    default:
      return undefined;
  }
}

function expressionChildren(node: SyntaxNode): Children | undefined {
  switch (node.type) {
    case 'CommandExpansion':
    case 'ProcessSubstitution':
    case 'ArithmeticCommandExpansion':
      return node.script && [node.script];
    case 'ArithmeticExpansion':
    case 'ArithmeticCommand':
      return [node.expression];
    case 'ArithmeticGroup':
    case 'TestCommand':
    case 'TestGroup':
      return [node.expression];
    case 'ArithmeticBinary':
    case 'TestBinary':
      return [node.left, node.right];
    case 'ArithmeticUnary':
    case 'TestUnary':
      return [node.operand];
    case 'ArithmeticTernary':
      return [node.test, node.consequent, node.alternate];
    case 'TestLogical':
      return node.operands;
    case 'TestNot':
      return [...node.negations, node.operand];
    default:
      return undefined;
  }
}
