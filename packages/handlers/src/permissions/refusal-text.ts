import type { ToolCall } from '@x/core';
import type { JudgedSubject } from './match-rule.ts';
import type { Decision } from './types.ts';

const MAX_RULE_CHARACTERS = 200;

/** Why a call was refused that nobody answered for, and what the host can do to allow it the next time. */
export function refusalText(
  { step, reason, matchedRule }: Decision,
  { call, subject, canUseTool }: { call: ToolCall; subject: JudgedSubject | undefined; canUseTool: boolean },
): string {
  const nobody = canUseTool
    ? 'canUseTool left it open and no PermissionRequest hook answered'
    : 'nobody was there to ask';
  const answer = canUseTool ? 'an allowing answer of canUseTool' : 'canUseTool';
  if (step !== 'default') {
    const drop = matchedRule === undefined ? '' : `, or take ${matchedRule} out of its rules`;
    return `${reason}, and ${nobody}. The host can allow it with ${answer} or a PermissionRequest hook${drop}.`;
  }
  const rule = ruleFor(call, subject);
  const approve = rule === undefined ? '' : `autoApprove: [${JSON.stringify(rule)}], `;
  const mode = call.tool?.kind === 'write' && subject?.type === 'paths' ? "'acceptEdits' or " : '';
  return (
    `${reason}, and ${nobody}. The host can allow it with ${approve}${answer}, ` +
    `a PermissionRequest hook, or permissionMode ${mode}'bypassPermissions'.`
  );
}

/** The rule that allows this very call; undefined where none would say just that. */
function ruleFor({ name }: ToolCall, subject: JudgedSubject | undefined): string | undefined {
  const pattern = patternFor(subject);
  if (!subject) return name;
  return pattern === undefined || pattern.length > MAX_RULE_CHARACTERS ? undefined : `${name}(${pattern})`;
}

function patternFor(subject: JudgedSubject | undefined): string | undefined {
  if (subject?.type === 'url') {
    return URL.canParse(subject.url) && new URL(subject.url).hostname !== ''
      ? `domain:${new URL(subject.url).hostname}`
      : undefined;
  }
  // Only a line without anything that the shell or a pattern reads twice.
  if (subject?.type === 'command') return /^[\w ./:=@,+-]+$/.test(subject.line) ? subject.line.trim() : undefined;
  const [path, ...others] = subject?.paths ?? [];
  if (!path || others.length > 0 || path.spelled !== path.resolved) return undefined;
  return path.spelled.replace(/[\\*?[\]{}()]/g, '\\$&');
}
