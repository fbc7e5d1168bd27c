import { type Tool, ValidationError } from '@x/core';
import { knownNames } from '@x/core/internal';

// All names of tools have this in common, those of MCP servers included: a look-alike letter is never one of them.
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,127}$/;

/** `mcp__server__*`: all tools of one MCP server. */
const OF_SERVER = /^mcp__[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*__\*$/;
const SERVER_ALONE = /^mcp__[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*$/;

/** True for a valid name of a tool, or of all tools of an MCP server. */
export function isToolName(text: unknown): text is string {
  return typeof text === 'string' && (NAME.test(text) || OF_SERVER.test(text));
}

/** True when a valid name, in a list or a rule, speaks of the tool. */
export function namesTool(written: string, name: string): boolean {
  return written === name || (written.endsWith('__*') && name.startsWith(written.slice(0, -1)));
}

/** Splits a `disallowedTools` list into names of tools to hide, and rules that deny some calls of a tool. */
export function splitToolRules(list: readonly string[]): { names: string[]; rules: string[] } {
  const isRule = (text: unknown) => typeof text === 'string' && /[()]/.test(text);
  return { names: list.filter((text) => !isRule(text)), rules: list.filter(isRule) };
}

/** The tools that names are checked against. */
export interface KnownTools {
  /** The known tools. */
  readonly tools: readonly Pick<Tool, 'name'>[];
  /** The option that contains the names, for the error. */
  readonly field: string;
  /** True when the list accepts names only, no rules. Default false. */
  readonly whole?: boolean;
  /** False when no further tools can be added and an unknown name would guard nothing: then it is refused. Default true. */
  readonly open?: boolean;
}

/**
 * Refuses an invalid tool name (`*`, `Bash|Write`), a typo of a known tool's name (`bash`, `Raed`), and, unless `open`, a name that no tool
 * has: such an entry would neither hide nor allow anything. The name of a rule is the text before its parenthesis. @throws ValidationError
 * with advice
 */
export function checkToolNames(
  names: readonly string[],
  { tools, field, whole = false, open = true }: KnownTools,
): void {
  const known = tools.map(({ name }) => name);
  for (const written of names) {
    const refuse = (why: string) => new ValidationError(`${field}: ${JSON.stringify(written)} ${why}`, field);
    if (typeof written !== 'string') throw refuse('is not a text; write the name of a tool');
    if (whole && /[()]/.test(written)) {
      throw refuse(
        'is a rule, and this list takes whole tools; rules go into autoApprove, alwaysAsk or disallowedTools',
      );
    }
    const name = toolNameOf(written);
    if (!isToolName(name)) throw refuse(`is not the name of a tool; ${insteadOf(name)}`);
    if (known.includes(name)) continue;
    if (SERVER_ALONE.test(name)) throw refuse(`names an MCP server; write ${name}__* for all its tools`);
    if (name !== written && name.startsWith('mcp__'))
      throw refuse(`has a pattern, but calls of MCP tools have nothing to hold it against; write ${name}`);
    const meant = slipOf(name, known);
    if (meant !== undefined) throw refuse(`names no tool; names count exactly, write ${meant}`);
    if (!open) throw refuse(`names no tool of this session; ${knownNames(name, known)}`);
  }
}

/** The known name that a typo stands for: another case, or the same letters in another order. */
export function slipOf(name: string, known: readonly string[]): string | undefined {
  const letters = (text: string) => Array.from(text.toLowerCase()).sort().join('');
  return known.find((one) => letters(one) === letters(name));
}

function insteadOf(name: string): string {
  if (/[|,;]/.test(name)) return 'write each name as an entry of its own';
  if (/^\S+[\s:]+\*/.test(name)) return 'write Tool(pattern) for some calls of a tool, such as Bash(rm *)';
  if (name.includes('*')) return 'a name has no wildcards, write each tool';
  return 'write it exactly, such as Bash';
}

/** The name in an entry of a list: a rule's tool, or the entry itself. */
export function toolNameOf(written: string): string {
  const open = written.indexOf('(');
  return open === -1 ? written : written.slice(0, open);
}
