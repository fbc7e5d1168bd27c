import type { Logger } from '@x/core';
import { silentLogger } from '@x/core/internal';
import { isAgentError, messageOf } from '@x/errors';
import { type LogLevel, levelsUpTo } from '../config/server-config.ts';

const MOST_CHARACTERS = 10_000;
const MOST_CAUSES = 5;

/** An error as plain data for a log. */
export interface LoggedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/** Writes requests and failures at the levels that the operator wants, without the secrets. */
export class FailureLog {
  readonly #logger: Logger;
  readonly #secrets: readonly string[];
  readonly writesRequests: boolean;

  constructor(logger: Logger, { logLevel, secrets }: { logLevel: LogLevel; secrets: readonly string[] }) {
    const levels = levelsUpTo(logLevel);
    this.#logger = { ...silentLogger, ...Object.fromEntries(levels.map((level) => [level, logger[level]])) };
    // The longest first: one that contains another is removed as a whole.
    this.#secrets = secrets.toSorted((one, other) => other.length - one.length);
    this.writesRequests = this.#logger.info !== silentLogger.info;
  }

  info(fields: Readonly<Record<string, unknown>>, message: string): void {
    this.#logger.info(this.#without(fields), message);
  }

  error(thrown: unknown, fields: Readonly<Record<string, unknown>>, message: string): void {
    this.#logger.error({ err: this.#logged(thrown, MOST_CAUSES), ...this.#without(fields) }, message);
  }

  /** The text without secrets. */
  redacted(text: string): string {
    let shown = text;
    for (const secret of this.#secrets) shown = shown.replaceAll(secret, '[redacted]');
    return shown;
  }

  #without(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const shown = Object.entries(fields).map(([key, value]) => [
      key,
      typeof value === 'string' ? this.#cut(value) : value,
    ]);
    return Object.fromEntries(shown);
  }

  #logged(thrown: unknown, deeper: number): LoggedError {
    const message = this.#cut(messageOf(thrown));
    if (!(thrown instanceof Error)) return { name: 'Thrown', message };
    const { name, stack, cause } = thrown;
    return {
      name,
      message,
      ...(isAgentError(thrown) ? { code: thrown.code } : {}),
      ...(typeof stack === 'string' ? { stack: this.#cut(stack) } : {}),
      ...(cause === undefined || deeper === 0 ? {} : { cause: this.#logged(cause, deeper - 1) }),
    };
  }

  #cut(text: string): string {
    return this.redacted(text).slice(0, MOST_CHARACTERS);
  }
}
