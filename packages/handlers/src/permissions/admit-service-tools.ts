import { type ModelOptions, ValidationError } from '@x/core';
import { SERVICE } from './service-rule.ts';
import type { PermissionPolicy } from './types.ts';

/**
 * Refuses tools of the service that a rule denies, or wants to be asked about: nobody can be asked before such a call.
 * @throws ValidationError naming the rule
 */
export function admitServiceTools(options: ModelOptions | undefined, { deny = [], ask = [] }: PermissionPolicy): void {
  for (const [index, { type }] of (options?.serviceTools ?? []).entries()) {
    const rule = [...deny, ...ask].find(
      ({ toolName, pattern, text }) => toolName === SERVICE && (!pattern || text === `${SERVICE}(${type})`),
    );
    if (!rule) continue;
    const field = `modelOptions.serviceTools[${index}]`;
    throw new ValidationError(`${field} is denied by the rule ${rule.text}; leave out one of them`, field);
  }
}
