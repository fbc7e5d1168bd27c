import { describe, expect, it } from 'vitest';
import { type Logger, quietly, silentLogger } from './logger.ts';

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
const loggerOf = (write: (...line: unknown[]) => unknown): Logger =>
  Object.fromEntries(LEVELS.map((level) => [level, (...line: unknown[]) => write(level, ...line)])) as never;

describe('quietly', () => {
  it('hands on every line, on its logger', () => {
    const lines: unknown[] = [];
    class Counting {
      warn(...line: unknown[]) {
        lines.push(this instanceof Counting, ...line);
      }
    }
    const logger = Object.assign(
      new Counting(),
      loggerOf((...line) => lines.push(line)),
      {},
    );
    Object.setPrototypeOf(logger, Counting.prototype);
    delete (logger as Partial<Logger>).warn;

    const quiet = quietly(logger);
    for (const level of LEVELS) quiet[level]({ a: 1 }, 'said');

    const said = ['fatal', 'error', 'info', 'debug', 'trace'].map((level) => [level, { a: 1 }, 'said']);
    expect(lines).toEqual([...said.slice(0, 2), true, { a: 1 }, 'said', ...said.slice(2)]);
  });

  it.each(LEVELS)('keeps to itself what %s throws or rejects with', async (level) => {
    const throws = loggerOf(() => {
      throw new Error('disk full');
    });
    const rejects = loggerOf(() => Promise.reject(new Error('disk full')));

    expect(() => quietly(throws)[level]({})).not.toThrow();
    expect(() => quietly(rejects)[level]({})).not.toThrow();
    await new Promise((resolve) => setImmediate(resolve)); // a rejection that nobody takes would end the tests
  });

  it.each(LEVELS)('refuses a logger without %s', (level) => {
    const { [level]: _, ...lacking } = silentLogger;

    expect(() => quietly(lacking as never)).toThrow(
      expect.objectContaining({ name: 'ValidationError', field: 'logger', message: expect.stringContaining(level) }),
    );
  });

  it('is silent without a logger, and refuses null', () => {
    expect(quietly(undefined)).toBe(silentLogger);
    expect(() => quietly(null as never)).toThrow('logger must be a Logger');
  });
});
