import { type CommandPattern, parseCommandPattern } from '@x/command-line';
import { type Tool, ValidationError } from '@x/core';
import { messageOf, type ToolSubject } from '@x/core/internal';
import { isToolName } from '../tool-names.ts';
import { type DomainRule, parseDomainRule } from './domain-rule.ts';
import { type PathRule, parsePathRules } from './path-rule.ts';
import { SERVICE, serviceFault } from './service-rule.ts';

/** A parsed rule: `Bash`, `Bash(git *)`, `Read(**\/.env)`, `WebFetch(domain:example.com)`. */
export interface PermissionRule {
  /** The original text. */
  readonly text: string;
  readonly toolName: string;
  /** Absent: every call of the tool. */
  readonly pattern?: RulePattern;
}
/** The meaning of a pattern for each type of subject; `faults` has the reason when it has none. */
export interface RulePattern {
  readonly command?: CommandPattern;
  readonly paths?: readonly PathRule[];
  readonly url?: DomainRule;
  readonly faults: { readonly [type in ToolSubject['type']]?: string };
}
/** Options for parsing rules. */
export interface ParseRuleOptions {
  /** The home directory of the user, absolute; without it a rule with `~` is refused. */
  readonly home?: string;
  /** For file systems that ignore case. Default false. */
  readonly ignoreCase?: boolean;
  /** The option that contains the rules, for the error. */
  readonly field?: string;
}

/** @throws ValidationError naming the first invalid rule */
export function parseRules(texts: readonly string[], options: ParseRuleOptions = {}): PermissionRule[] {
  return texts.map((text) => parseRule(text, options));
}

/** Parses one rule. @throws ValidationError with advice */
export function parseRule(text: string, options: ParseRuleOptions = {}): PermissionRule {
  const refuse = (why: string) =>
    new ValidationError(`${inField(options.field)}The rule ${JSON.stringify(text)} ${why}`, options.field);
  if (typeof text !== 'string') throw refuse('is not a text; write Tool or Tool(pattern)');
  const open = text.indexOf('(');
  const toolName = open === -1 ? text : text.slice(0, open);
  if (!isToolName(toolName)) {
    throw refuse(
      'must begin with the name of a tool, in plain letters and without spaces, such as Bash or Bash(git *)',
    );
  }
  if (open === -1) return { text, toolName };
  const inner = text.slice(open + 1, -1);
  if (!text.endsWith(')') || !isBalanced(inner)) {
    throw refuse('has parentheses that do not match; write Tool(pattern), and \\( or \\) for a single one inside');
  }
  if (inner.trim() === '') throw refuse(`has an empty pattern; write ${toolName} for every call of the tool`);
  if (/^~(\/|$)/.test(inner) && options.home === undefined) {
    throw refuse('begins with ~, but no home directory is known; write the whole path');
  }
  const unserved = toolName === SERVICE ? serviceFault(inner) : undefined;
  if (unserved !== undefined) throw refuse(unserved);
  const pattern = patternOf(inner, options);
  if (!pattern.command && !pattern.paths && !pattern.url) {
    const { paths, command, url } = pattern.faults;
    const why = inner.startsWith('domain:') ? url : `as a path ${paths}; as a command ${command}`;
    throw refuse(`cannot mean anything: ${why}`);
  }
  return { text, toolName, pattern };
}

/** `field` names the option, for the error. @throws ValidationError when the pattern does not fit the subject of the tool's calls */
export function checkRule(rule: PermissionRule, tool: Tool, field?: string): void {
  if (!rule.pattern || tool.name !== rule.toolName) return;
  if (!tool.subject) {
    throw new ValidationError(
      `${inField(field)}The rule ${JSON.stringify(rule.text)} has a pattern, but calls of ${tool.name} have nothing to hold it against; write ${tool.name}`,
      field,
    );
  }
  const type = subjectTypeOf(tool);
  const fault = type && rule.pattern.faults[type];
  if (fault)
    throw new ValidationError(
      `${inField(field)}The rule ${JSON.stringify(rule.text)} does not fit ${tool.name}: ${fault}`,
      field,
    );
}

/** The type of a tool's subject, which is the same for every input; undefined when it is not known for an empty one. */
function subjectTypeOf(tool: Tool): ToolSubject['type'] | undefined {
  try {
    return tool.subject?.({})?.type;
  } catch {
    return undefined; // found out at the first call
  }
}

function patternOf(text: string, { ignoreCase = false }: ParseRuleOptions): RulePattern {
  const faults: { [type in ToolSubject['type']]?: string } = {};
  const attempt = <T>(type: ToolSubject['type'], parse: () => T): T | undefined => {
    try {
      return parse();
    } catch (error) {
      faults[type] = messageOf(error);
      return undefined;
    }
  };
  const isDomain = text.startsWith('domain:');
  const url = attempt('url', () => parseDomainRule(text));
  const command = isDomain ? undefined : attempt('command', () => parseCommandPattern(text));
  const paths = isDomain ? undefined : attempt('paths', () => parsePathRules(text, { ignoreCase }));
  if (isDomain) faults.command = faults.paths = 'domain: is for tools that fetch an address';
  return { ...(command ? { command } : {}), ...(paths ? { paths } : {}), ...(url ? { url } : {}), faults };
}

function inField(field: string | undefined): string {
  return field === undefined ? '' : `${field}: `;
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length && depth >= 0; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '(') depth++;
    else if (text[at] === ')') depth--;
  }
  return depth === 0;
}
