import type { Logger } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import type { Invoke } from './invoke.ts';
import type { ImplementationContext } from './metadata.ts';
import { KEBAB_CASE, type NamePolicy } from './validate-metadata.ts';

/** Options of a registry. */
export interface ToolRegistryOptions {
  /** Matches accepted tool names. Default: `^[a-z][a-z0-9-]*$`. */
  readonly namePattern?: RegExp;
  /** Runs the implementations, for example through `ToolExecutor.execute`. Default: they are called directly. */
  readonly invoke?: Invoke;
  /** Logs errors of listeners. Default: silent. */
  readonly logger?: Logger;
}
/** Options of one execution. */
export interface ExecuteOptions {
  /** Passed to the implementation; when aborted already, nothing runs. */
  readonly signal?: AbortSignal;
  /** Passed to the implementation, for services that must not do a repeated call twice. */
  readonly idempotencyKey?: string;
  /** Takes texts about the progress of the call: what an added tool yields while it runs, and what an implementation passes on. */
  readonly onProgress?: (text: string) => void;
  /** Replaces the `invoke` of the registry. */
  readonly invoke?: Invoke;
}
/** Options of `unregister`. */
export interface UnregisterOptions {
  /** Removes the tool even if others depend on it. */
  readonly force?: boolean;
}

export const REGISTRY: OptionRules<ToolRegistryOptions> = {
  namePattern: is.rule('a regular expression', (value) => value instanceof RegExp),
  invoke: is.callback,
  logger: is.anything, // `quietly` checks it
};
const EXECUTE: OptionRules<ExecuteOptions> = {
  signal: is.rule('an AbortSignal', (value) => typeof (value as Partial<AbortSignal> | null)?.aborted === 'boolean'), // safe: only read
  idempotencyKey: is.text,
  onProgress: is.callback,
  invoke: is.callback,
};
export const UNREGISTER: OptionRules<UnregisterOptions> = { force: is.anything };

/** The context for the implementation. @throws ValidationError for invalid options */
export function contextOf(options: ExecuteOptions): ImplementationContext {
  checkOptions('Execute options', options, EXECUTE);
  const { signal, idempotencyKey } = options;
  return { ...(signal ? { signal } : {}), ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
}

/** The pattern, and the message for names that do not match. */
export function policyOf(pattern: RegExp | undefined): NamePolicy {
  if (pattern === undefined) return KEBAB_CASE;
  return { pattern: new RegExp(pattern), message: `Tool name must match ${pattern.source}` };
}
