import type { Command, CommandArgument, ParsedScript, Redirection, Statement } from 'unbash';
import { plainValue } from './word-value.ts';

interface Span {
  readonly pos: number;
  readonly end: number;
}

/** What may stand between the words of a simple line: blanks, the operators, `!`, and comments. */
const between = /^(?:[ \t\n;|!]|&&|\|&|\\\n|#[^\n]*(?=\n|$))*$/;

/** The first thing in which the syntax is not that of a simple line; the errors are the caller's to look at. */
export function syntaxObstacle(script: ParsedScript, line: string): string | undefined {
  if (script.commands.length === 0) return 'the line runs nothing';
  const obstacle = firstOf(script.commands, statementObstacle);
  if (obstacle !== undefined) return obstacle;
  // Whatever the parser passed over without a word is found here.
  let end = 0;
  for (const span of script.commands.flatMap(({ command }) => spansOf(command))) {
    if (!between.test(line.slice(end, span.pos))) return quoted(line.slice(end, span.pos).trim(), 'is not understood');
    end = span.end;
  }
  return between.test(line.slice(end)) ? undefined : quoted(line.slice(end).trim(), 'is not understood');
}

function firstOf<T>(items: readonly T[], obstacle: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = obstacle(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A piece of the line in backquotes, cut where it is long, with what is to be said of it. */
export function quoted(text: string, said: string): string {
  return `\`${text.length > 80 ? `${text.slice(0, 80)}...` : text}\` ${said}`;
}

function spansOf(node: Statement['command']): readonly Span[] {
  if (node.type === 'AndOr' || node.type === 'Pipeline') return node.commands.flatMap(spansOf);
  return node.type === 'Command' ? [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix] : [node];
}

function statementObstacle({ command, background }: Statement): string | undefined {
  return background ? '`&` runs a command in the background' : nodeObstacle(command);
}

function nodeObstacle(node: Statement['command']): string | undefined {
  if (node.type === 'AndOr') return firstOf(node.commands, nodeObstacle);
  if (node.type === 'Pipeline') {
    if (node.prefixes.some(({ type }) => type !== 'Negation')) return '`time` stands before a command';
    return firstOf(node.commands, nodeObstacle);
  }
  return node.type === 'Command' ? commandObstacle(node) : `${node.type} is a compound command`;
}

function commandObstacle({ name, prefix, suffix }: Command): string | undefined {
  const isFirst = prefix.find(({ type }) => type === 'Assignment');
  if (isFirst) return quoted(isFirst.type === 'Assignment' ? isFirst.text : '', 'sets a variable');
  if (!name) return 'a redirect stands without a command';
  return firstOf([...prefix, name, ...suffix], itemObstacle);
}

function itemObstacle(item: CommandArgument | Redirection): string | undefined {
  if (item.type === 'Word') return plainValue(item) === undefined ? quoted(item.text, 'is an expansion') : undefined;
  if (item.type === 'Assignment') return quoted(item.text, 'sets a variable');
  if (item.type !== 'Redirect') return 'a here-document is not covered by any rule';
  const target = item.target && plainValue(item.target);
  if (item.descriptor?.type !== 'FileDescriptorVariable') {
    if (target === '/dev/null') return undefined;
    if (/^[<>]&$/.test(item.operator) && target !== undefined && /^(\d+-?|-)$/.test(target)) return undefined;
  }
  const what = item.operator.includes('>') ? 'an output redirect to' : 'a redirect from';
  return `${what} ${quoted(item.target?.text ?? '', 'is not covered by any rule')}`;
}
