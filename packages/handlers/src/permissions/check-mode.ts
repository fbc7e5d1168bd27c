import { ValidationError } from '@x/core';
import type { PermissionMode } from './types.ts';

const MODES: readonly string[] = ['default', 'acceptEdits', 'bypassPermissions', 'plan'];

/** The mode itself. @throws ValidationError for anything else */
export function checkMode(mode: unknown): PermissionMode {
  if (typeof mode !== 'string' || !MODES.includes(mode)) {
    throw new ValidationError(`permissionMode must be one of ${MODES.join(', ')}`, 'permissionMode');
  }
  return mode as PermissionMode; // safe: checked against MODES
}
