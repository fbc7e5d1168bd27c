import * as is from '@x/errors/option-rules';
import { checkValue, type OptionRule } from '@x/errors/option-rules';
import type { PermissionMode } from './types.ts';

export const MODE: OptionRule = is.required(is.oneOf('default', 'acceptEdits', 'bypassPermissions', 'plan'));

/** The mode itself; `field` names the option. @throws ValidationError for anything else */
export function checkMode(mode: unknown, field = 'permissionMode'): PermissionMode {
  checkValue(field, mode, MODE);
  return mode as PermissionMode; // safe: checked
}
