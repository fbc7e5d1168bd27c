import type { Logger } from '@x/core';

/** C1 controls, DEL, line and paragraph separators, and marks that turn the direction of writing: JSON leaves them as they are. */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** A logger that gives each entry to `write` as one line of JSON, whatever characters its texts have. */
export function lineLogger(write: (line: string) => void): Logger {
  const at =
    (level: string) =>
    (fields: object, message = ''): void =>
      write(`${lineOf({ time: new Date().toISOString(), level, message, ...fields })}\n`);
  return {
    fatal: at('fatal'),
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    trace: at('trace'),
  };
}

function lineOf(entry: object): string {
  return JSON.stringify(entry).replace(UNSAFE, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
