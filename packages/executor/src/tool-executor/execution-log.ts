import { isAgentError, type Logger } from '@x/core';
import { messageOf } from '@x/core/internal';
import type { LateSettlement } from './late-settlement.ts';

/** Names of an execution in log lines. */
export interface ExecutionNames {
  readonly tool: string | undefined;
  readonly caller: string | undefined;
}

/** Logs the events of one execution: names, counts and messages, never parameters or values. */
export class ExecutionLog {
  readonly #logger: Logger;
  readonly #names: object;

  constructor(logger: Logger, names: ExecutionNames) {
    this.#logger = logger;
    const { tool, caller } = names;
    this.#names = { ...(tool === undefined ? {} : { tool }), ...(caller === undefined ? {} : { caller }) };
  }

  attempt(attempt: number): void {
    this.#tell('debug', { attempt }, 'tool attempt started');
  }

  timeout(attempt: number, timeoutMs: number): void {
    this.#tell('warn', { attempt, timeoutMs }, 'tool attempt timed out');
  }

  retry(attempt: number, error: unknown, delayMs: number): void {
    this.#tell('warn', { attempt, delayMs, ...reasonOf(error) }, 'tool attempt failed, trying again');
  }

  failed(attempts: number, error: unknown): void {
    this.#tell('error', { attempts, ...reasonOf(error) }, 'tool execution failed');
  }

  late({ attempt, givenUpFor, outcome, afterMs }: LateSettlement): void {
    const { status } = outcome;
    this.#tell('warn', { attempt, givenUpFor, outcome: status, afterMs }, 'tool attempt ended after it was given up');
  }

  listenerFailed(error: unknown): void {
    this.#tell('warn', reasonOf(error), 'onLateSettlement failed');
  }

  #tell(level: 'debug' | 'warn' | 'error', fields: object, message: string): void {
    this.#logger[level]({ ...this.#names, ...fields }, message);
  }
}

function reasonOf(error: unknown): { readonly error: string; readonly code?: string } {
  try {
    const code: unknown =
      isAgentError(error) || error instanceof Error ? (error as { code?: unknown }).code : undefined;
    return { error: messageOf(error), ...(typeof code === 'string' ? { code } : {}) };
  } catch {
    return { error: 'an error that cannot be read' };
  }
}
