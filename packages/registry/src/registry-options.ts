import { checkKeys, type Logger, ValidationError } from '@x/core';
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

const EXECUTE = ['signal', 'idempotencyKey', 'invoke'];

/** @throws ValidationError for options that could not be honoured */
export function checkRegistryOptions(options: ToolRegistryOptions): void {
  checkKeys('Registry options', options, ['namePattern', 'invoke', 'logger']);
  checkInvoke(options.invoke);
}

/** What the implementation is given. @throws ValidationError for options that could not be honoured */
export function contextOf(options: ExecuteOptions): ImplementationContext {
  checkKeys('Execute options', options, EXECUTE);
  const { signal, idempotencyKey, invoke } = options;
  checkInvoke(invoke);
  if (signal !== undefined && typeof signal?.aborted !== 'boolean') {
    throw new ValidationError('signal must be an AbortSignal', 'signal');
  }
  if (idempotencyKey === undefined) return signal ? { signal } : {};
  if (typeof idempotencyKey === 'string') return { ...(signal ? { signal } : {}), idempotencyKey };
  throw new ValidationError('idempotencyKey must be a text', 'idempotencyKey');
}

/** The pattern and what is said to names that it does not fit. */
export function policyOf(pattern: RegExp | undefined): NamePolicy {
  if (pattern === undefined) return KEBAB_CASE;
  if (!(pattern instanceof RegExp))
    throw new ValidationError('namePattern must be a regular expression', 'namePattern');
  return { pattern: new RegExp(pattern), message: `Tool name must match ${pattern.source}` };
}

function checkInvoke(invoke: Invoke | undefined): void {
  if (invoke !== undefined && typeof invoke !== 'function') {
    throw new ValidationError('invoke must be a function', 'invoke');
  }
}
