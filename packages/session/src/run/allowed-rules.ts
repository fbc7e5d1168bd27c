import { ValidationError } from '@x/core';
import type { PermissionRule } from '@x/handlers';
import type { EntryBody } from '../log/entry.ts';
import type { SessionState } from '../log/fold.ts';
import type { Settings } from './assemble.ts';
import { parsedRules } from './guards.ts';
import type { SessionFacts } from './title-and-metadata.ts';

const MAX_RULES = 1_000;

/** The rules that were allowed in the session, oldest first. */
function allowedRules({ allowedRules: rules = [] }: SessionState): readonly string[] {
  return rules;
}

/** Takes back rules that were allowed elsewhere: a fork and an import start without them. */
export function withoutAllowedRules(state: SessionState): EntryBody[] {
  return allowedRules(state).length > 0 ? [{ type: 'rules_allowed', rules: [] }] : [];
}

/**
 * Allows rules for the rest of the session; every deny and ask rule wins over them. Durable when it resolves, and effective at the next
 * call.
 * @throws ValidationError for an invalid rule, SessionError `SESSION_BUSY` while the session is run elsewhere
 */
export async function allowRules(
  rules: readonly string[],
  { settings, facts }: { readonly settings: Settings; readonly facts: SessionFacts },
): Promise<void> {
  const parsed = parsedRules(rules, { tools: settings.tools, field: 'rule' });
  await facts.record((state) => {
    const all = [...new Set([...allowedRules(state), ...rules])];
    if (all.length > MAX_RULES) throw new ValidationError(`A session remembers at most ${MAX_RULES} rules`, 'rule');
    return { type: 'rules_allowed', rules: all };
  });
  settings.policy.allow = [...(settings.policy.allow ?? []), ...parsed];
}

/** Restores the rules that the log says were allowed, by whichever process. A rule whose tool is gone, or has changed, allows nothing. */
export function recallRules(state: SessionState, { policy, hostRules, tools }: Settings): void {
  const recalled = allowedRules(state).flatMap((rule): readonly PermissionRule[] => {
    try {
      return parsedRules([rule], { tools, field: 'rule' });
    } catch {
      return [];
    }
  });
  if (recalled.length > 0 || policy.allow?.length !== hostRules.length) policy.allow = [...hostRules, ...recalled];
}
