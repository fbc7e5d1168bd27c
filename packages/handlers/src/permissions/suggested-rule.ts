import type { ToolCall } from '@x/core';
import { coveringRule, type JudgedSubject } from './match-rule.ts';
import type { Places } from './path-rule.ts';
import { parseRule } from './rule.ts';

const MAX_RULE_CHARACTERS = 200;

/** The rule that allows exactly this call, and no more of the tool than its text; undefined when no rule would. */
export function suggestedRule(
  { name, tool }: ToolCall,
  subject: JudgedSubject | undefined,
  places: Places,
): string | undefined {
  if (!tool) return undefined;
  const pattern = patternFor(subject);
  const text = subject ? pattern && `${name}(${pattern})` : name;
  if (text === undefined || text.length > MAX_RULE_CHARACTERS) return undefined;
  try {
    const rule = parseRule(text, places.home === undefined ? {} : { home: places.home });
    const names = [...new Set([name, tool.name])];
    const judged = { names, kind: tool.kind, subject, places, kindOf: () => undefined };
    return coveringRule([rule], judged) ? text : undefined;
  } catch {
    return undefined; // nothing that a rule can say
  }
}

function patternFor(subject: JudgedSubject | undefined): string | undefined {
  if (subject?.type === 'url') {
    return URL.canParse(subject.url) && new URL(subject.url).hostname !== ''
      ? `domain:${new URL(subject.url).hostname}`
      : undefined;
  }
  // Only a line without characters that are special to the shell or in a pattern.
  if (subject?.type === 'command') return /^[\w ./:=@,+-]+$/.test(subject.line) ? subject.line.trim() : undefined;
  const [path, ...others] = subject?.paths ?? [];
  if (!path || others.length > 0 || path.spelled !== path.resolved) return undefined;
  return path.spelled.replace(/[\\*?[\]{}()|,]/g, '\\$&');
}
