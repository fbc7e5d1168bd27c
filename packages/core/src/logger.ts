import { ValidationError } from '@x/errors';

/** Receives log lines for people; pino satisfies it, and `{ ...console, fatal: console.error }`. */
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

/** The default logger, which writes nothing. */
export const silentLogger: Logger = {
  fatal: nothing,
  error: nothing,
  warn: nothing,
  info: nothing,
  debug: nothing,
  trace: nothing,
};

/**
 * Wraps a logger so that its errors and rejections are ignored: a failing log must not end anything. Without one, the silent logger.
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
      // The logger itself has failed, so the error cannot be reported.
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
