import { ValidationError } from '@x/core';
import type { PermissionMode } from './types.ts';

const MODES: readonly string[] = ['default', 'acceptEdits', 'bypassPermissions', 'plan'];

/** The mode itself; `field` names the option. @throws ValidationError for anything else */
export function checkMode(mode: unknown, field = 'permissionMode'): PermissionMode {
  if (typeof mode !== 'string' || !MODES.includes(mode)) {
    throw new ValidationError(`${field} must be one of ${MODES.join(', ')}`, field);
  }
  return mode as PermissionMode; // safe: checked against MODES
}
