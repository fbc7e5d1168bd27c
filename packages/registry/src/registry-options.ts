import type { Logger } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import type { Invoke } from './invoke.ts';
import type { ImplementationContext } from './metadata.ts';
import { KEBAB_CASE, type NamePolicy } from './validate-metadata.ts';

/** How a registry judges names, and runs what it keeps. */
export interface ToolRegistryOptions {
  /** Which tool names are accepted. Default: `^[a-z][a-z0-9-]*$`. */
  readonly namePattern?: RegExp;
  /** Runs the implementations, for example through `ToolExecutor.execute`. Default: they are called. */
  readonly invoke?: Invoke;
  /** Is told of listeners that throw. Default: silent. */
  readonly logger?: Logger;
}
/** How one execution is run and can be stopped. */
export interface ExecuteOptions {
  /** Handed to the implementation; when aborted already, nothing runs. */
  readonly signal?: AbortSignal;
  /** Handed to the implementation, for services that must not do a repeated call twice. */
  readonly idempotencyKey?: string;
  /** Stands in for the `invoke` of the registry. */
  readonly invoke?: Invoke;
}
/** Whether a tool goes although others depend on it. */
export interface UnregisterOptions {
  /** Removes the tool although others depend on it. */
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
  invoke: is.callback,
};
export const UNREGISTER: OptionRules<UnregisterOptions> = { force: is.anything };

/** What the implementation is given. @throws ValidationError for options that could not be honoured */
export function contextOf(options: ExecuteOptions): ImplementationContext {
  checkOptions('Execute options', options, EXECUTE);
  const { signal, idempotencyKey } = options;
  return { ...(signal ? { signal } : {}), ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
}

/** The pattern and what is said to names that it does not fit. */
export function policyOf(pattern: RegExp | undefined): NamePolicy {
  if (pattern === undefined) return KEBAB_CASE;
  return { pattern: new RegExp(pattern), message: `Tool name must match ${pattern.source}` };
}
