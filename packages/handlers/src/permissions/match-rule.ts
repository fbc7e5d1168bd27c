import { type CommandLine, isCovered, mentions, unreadCommandLine } from '@x/command-line';
import type { ToolKind } from '@x/core';
import { namesTool } from '../tool-names.ts';
import { admits, concerns } from './domain-rule.ts';
import { formsOf, type PathForms } from './path-forms.ts';
import { means, type Places, touches } from './path-rule.ts';
import type { PermissionRule } from './rule.ts';

/** The subject of a call: its paths spelled and resolved, its command line parsed if a decision may depend on it. */
export type JudgedSubject =
  | {
      readonly type: 'command';
      readonly line: string;
      readonly parsed?: CommandLine;
      /** The targets of words of the line that are links, or lie below one; absolute. */
      readonly resolved?: readonly string[];
    }
  | { readonly type: 'paths'; readonly paths: readonly PathForms[] }
  | { readonly type: 'url'; readonly url: string };
/** The facts that rules are matched against. */
export interface Judged {
  /** The name that the model asked for and that of the tool that will run. */
  readonly names: readonly string[];
  readonly kind: ToolKind;
  readonly subject: JudgedSubject | undefined;
  readonly places: Places;
  readonly kindOf: (toolName: string) => ToolKind | undefined;
}

/** The parsed command line; an unparsed one may run anything. */
export function commandLineOf({ line, parsed }: Extract<JudgedSubject, { type: 'command' }>): CommandLine {
  return parsed ?? unreadCommandLine(line, 'nobody has parsed it');
}

/**
 * `yes` when a deny or ask rule applies to the call: to any command of its line, to any of its paths in either form. `unknown` when that is
 * undecidable. A rule with a path binds every tool of the same kind that is about paths, unless that kind is `execute`.
 */
export function speaksOf(rule: PermissionRule, call: Judged): 'yes' | 'no' | 'unknown' {
  const named = call.names.some((name) => namesTool(rule.toolName, name));
  const { pattern } = rule;
  const { subject } = call;
  if (!named && !(pattern?.paths && subject?.type === 'paths' && bindsKind(rule, call))) return 'no';
  if (!pattern) return 'yes';
  if (!subject) return 'unknown';
  if (subject.type === 'command')
    return pattern.command ? mentions(commandLineOf(subject), pattern.command) : 'unknown';
  if (subject.type === 'url') {
    const concerned = pattern.url && concerns(pattern.url, subject.url);
    return concerned === undefined ? 'unknown' : concerned ? 'yes' : 'no';
  }
  if (!pattern.paths) return 'unknown';
  const forms = subject.paths.flatMap(formsOf);
  return pattern.paths.some((path) => forms.some((form) => touches(path, form, call.places))) ? 'yes' : 'no';
}

/** The allow rule that permits the call, if the rules together cover all of it: every command, every path in both forms. */
export function coveringRule(rules: readonly PermissionRule[], call: Judged): PermissionRule | undefined {
  const own = rules.filter((rule) => call.names.every((name) => namesTool(rule.toolName, name)));
  const plain = own.find((rule) => !rule.pattern);
  if (plain || !call.subject || own.length === 0) return plain;
  const { subject } = call;
  if (subject.type === 'url') return own.find(({ pattern }) => pattern?.url && admits(pattern.url, subject.url));
  if (subject.type === 'command') {
    const usable = own.filter(({ pattern }) => pattern?.command);
    const patterns = usable.flatMap(({ pattern }) => pattern?.command ?? []);
    if (usable.length === 0 || !isCovered(commandLineOf(subject), patterns)) return undefined;
    return (
      usable.find(({ pattern }) => pattern?.command && isCovered(commandLineOf(subject), [pattern.command])) ??
      usable[0]
    );
  }
  const forms = subject.paths.flatMap(formsOf);
  const ruleFor = (form: string) =>
    own.find(({ pattern }) => pattern?.paths?.some((path) => means(path, form, call.places)));
  return forms.length > 0 && forms.every(ruleFor) ? ruleFor(forms[0] ?? '') : undefined;
}

function bindsKind(rule: PermissionRule, { kind, kindOf }: Judged): boolean {
  return kind !== 'execute' && kindOf(rule.toolName) === kind;
}
