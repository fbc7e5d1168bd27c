import type { OptionRule, OptionRules } from '@x/errors/option-rules';
import * as is from '@x/errors/option-rules';
import type { McpHostHandlers, McpLogLevel } from './connection.ts';

/** Rules of the functions that answer what servers ask. */
export const HOST_HANDLERS: OptionRules<McpHostHandlers> = {
  roots: is.callback,
  elicit: is.callback,
  elicitUrl: is.callback,
  sample: is.callback,
  log: is.callback,
};

const LEVELS: readonly McpLogLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];
export const LOG_LEVEL: OptionRule = is.oneOf(...LEVELS);

/** True for a level that says at least as much as is asked for. */
export function isLoggedAt(level: McpLogLevel, least: McpLogLevel): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(least);
}
