import { type ModelOptions, ValidationError } from '@x/core';
import type { PermissionRule } from './rule.ts';
import { SERVICE } from './service-rule.ts';
import type { PermissionPolicy } from './types.ts';

/** The rule that denies a tool of the service, or wants to be asked about it: nobody can be asked before such a call. */
export function ruleAgainstService(
  type: string,
  { deny = [], ask = [] }: PermissionPolicy,
): PermissionRule | undefined {
  return [...deny, ...ask].find(
    ({ toolName, pattern, text }) => toolName === SERVICE && (!pattern || text === `${SERVICE}(${type})`),
  );
}

/** Refuses tools of the service that a rule is against. @throws ValidationError naming the rule */
export function admitServiceTools(options: ModelOptions | undefined, policy: PermissionPolicy): void {
  for (const [index, { type }] of (options?.serviceTools ?? []).entries()) {
    const rule = ruleAgainstService(type, policy);
    if (!rule) continue;
    const field = `modelOptions.serviceTools[${index}]`;
    throw new ValidationError(`${field} is denied by the rule ${rule.text}; leave out one of them`, field);
  }
}
