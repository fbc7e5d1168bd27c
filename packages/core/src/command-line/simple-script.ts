import type { Command, CommandArgument, ParsedScript, Redirection, Statement } from 'unbash';
import { plainValue } from './word-value.ts';

interface Span {
  readonly pos: number;
  readonly end: number;
}

/** What may stand between the words of a simple line: blanks, the operators, `!`, and comments. */
const between = /^(?:[ \t\n;|!]|&&|\|&|\\\n|#[^\n]*(?=\n|$))*$/;

/** Whether the syntax is that of a simple line; the errors are the caller's to look at. */
export function isSimpleScript(script: ParsedScript, line: string): boolean {
  if (script.commands.length === 0 || !script.commands.every(isSimpleStatement)) return false;
  // Whatever the parser passed over without a word is found here.
  let end = 0;
  for (const span of script.commands.flatMap(({ command }) => spansOf(command))) {
    if (!between.test(line.slice(end, span.pos))) return false;
    end = span.end;
  }
  return between.test(line.slice(end));
}

function spansOf(node: Statement['command']): readonly Span[] {
  if (node.type === 'AndOr' || node.type === 'Pipeline') return node.commands.flatMap(spansOf);
  return node.type === 'Command' ? [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix] : [node];
}

function isSimpleStatement({ command, background }: Statement): boolean {
  return !background && isSimpleNode(command);
}

function isSimpleNode(node: Statement['command']): boolean {
  if (node.type === 'AndOr') return node.commands.every(isSimpleNode);
  if (node.type === 'Pipeline') {
    return (
      node.commands.length > 0 &&
      node.prefixes.every(({ type }) => type === 'Negation') &&
      node.commands.every(isSimpleNode)
    );
  }
  return node.type === 'Command' && isSimpleCommand(node);
}

function isSimpleCommand({ name, prefix, suffix }: Command): boolean {
  if (!name || plainValue(name) === undefined) return false;
  return prefix.every(isHarmless) && suffix.every(isHarmless);
}

function isHarmless(item: CommandArgument | Redirection): boolean {
  if (item.type === 'Word') return plainValue(item) !== undefined;
  if (item.type !== 'Redirect' || item.descriptor?.type === 'FileDescriptorVariable') return false;
  const target = item.target && plainValue(item.target);
  if (target === '/dev/null') return true;
  return (item.operator === '>&' || item.operator === '<&') && target !== undefined && /^(\d+-?|-)$/.test(target);
}
