/** Where the SDK writes lines for people; pino and the console satisfy it. */
export interface Logger {
  fatal(fields: object, message?: string): void;
  error(fields: object, message?: string): void;
  warn(fields: object, message?: string): void;
  info(fields: object, message?: string): void;
  debug(fields: object, message?: string): void;
  trace(fields: object, message?: string): void;
}

const nothing = (): void => undefined;

/** The default: says nothing. */
export const silentLogger: Logger = {
  fatal: nothing,
  error: nothing,
  warn: nothing,
  info: nothing,
  debug: nothing,
  trace: nothing,
};
