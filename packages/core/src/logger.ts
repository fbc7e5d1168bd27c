import { ValidationError } from '@x/errors';

/** Where the SDK writes lines for people; pino satisfies it, and `{ ...console, fatal: console.error }`. */
export interface Logger {
  fatal(fields: object, message?: string): void;
  error(fields: object, message?: string): void;
  warn(fields: object, message?: string): void;
  info(fields: object, message?: string): void;
  debug(fields: object, message?: string): void;
  trace(fields: object, message?: string): void;
}

const nothing = (): void => undefined;
const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** The default: says nothing. */
export const silentLogger: Logger = {
  fatal: nothing,
  error: nothing,
  warn: nothing,
  info: nothing,
  debug: nothing,
  trace: nothing,
};

/**
 * The logger, so that what it throws or rejects with ends nothing: nothing hangs on whether it can be told. Without one, the silent one.
 * @throws ValidationError naming the method that a logger lacks
 */
export function quietly(logger: Logger | undefined): Logger {
  if (logger === undefined) return silentLogger;
  const missing = LEVELS.find((level) => typeof logger?.[level] !== 'function');
  if (missing !== undefined)
    throw new ValidationError(`logger must be a Logger: ${missing} is not a function`, 'logger');
  const quiet = (level: (typeof LEVELS)[number]) => (fields: object, message?: string) => {
    try {
      const answer: unknown = logger[level](fields, message);
      if (answer instanceof Promise) answer.catch(nothing);
    } catch {
      // The logger has failed, so there is nobody to tell.
    }
  };
  return {
    fatal: quiet('fatal'),
    error: quiet('error'),
    warn: quiet('warn'),
    info: quiet('info'),
    debug: quiet('debug'),
    trace: quiet('trace'),
  };
}
