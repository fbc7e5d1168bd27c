import type { ToolCall } from '@x/core';
import type { JudgedSubject } from './match-rule.ts';
import type { Decision } from './types.ts';

interface Refused {
  readonly call: ToolCall;
  readonly subject: JudgedSubject | undefined;
  /** The rule that would allow it. */
  readonly rule: string | undefined;
  readonly canUseTool: boolean;
}

/** The reason of a refusal without an answer, with advice to the host on how to allow the call next time. */
export function refusalText(
  { step, reason, matchedRule }: Decision,
  { call, subject, rule, canUseTool }: Refused,
): string {
  const nobody = canUseTool
    ? 'canUseTool left it open and no PermissionRequest hook answered'
    : 'nobody was there to ask';
  const answer = canUseTool ? 'an allowing answer of canUseTool' : 'canUseTool';
  if (step !== 'default') {
    const drop = matchedRule === undefined ? '' : `, or take ${matchedRule} out of its rules`;
    return `${reason}, and ${nobody}. The host can allow it with ${answer} or a PermissionRequest hook${drop}.`;
  }
  const approve = rule === undefined ? '' : `autoApprove: [${JSON.stringify(rule)}], `;
  const mode = call.tool?.kind === 'write' && subject?.type === 'paths' ? "'acceptEdits' or " : '';
  return (
    `${reason}, and ${nobody}. The host can allow it with ${approve}${answer}, ` +
    `a PermissionRequest hook, or permissionMode ${mode}'bypassPermissions'.`
  );
}
