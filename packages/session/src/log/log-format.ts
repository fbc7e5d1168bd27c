import { SessionError } from '@x/core';
import type { EntryBody } from './entry.ts';

/** Converts an entry of one format to the next, under the same `type`: the end of a log alone shows whether a run is open. */
export type FormatStep = (body: EntryBody) => EntryBody;

/** Steps from format 1 to 2, from 2 to 3, and so on: the newest format is one more than there are steps. */
export const FORMAT_STEPS: readonly FormatStep[] = [];

export function newestFormat(steps: readonly FormatStep[] = FORMAT_STEPS): number {
  return steps.length + 1;
}

/** The format of a log, if this version can read it. @throws SessionError `LOG_TOO_NEW`, `LOG_DAMAGED` for an invalid one */
export function knownFormat(found: unknown, steps: readonly FormatStep[]): number {
  if (typeof found !== 'number' || !Number.isInteger(found) || found < 1) {
    throw new SessionError(`The log has the format ${String(found)}, which no version writes; restore it from a copy`, {
      code: 'LOG_DAMAGED',
    });
  }
  const newest = newestFormat(steps);
  if (found <= newest) return found;
  throw new SessionError(
    `The log has format ${found}, this version reads ${newest}; use the version that wrote it, or a newer one`,
    { code: 'LOG_TOO_NEW' },
  );
}

/** The body of an entry written in `format`, converted to the newest. The stored entry stays as it is. */
export function inNewestFormat(body: EntryBody, format: number, steps: readonly FormatStep[]): EntryBody {
  // Entries that state the format are the same in all formats.
  if (format >= newestFormat(steps) || body.type === 'session_created' || body.type === 'format_raised') return body;
  let newer: EntryBody = body;
  for (const step of steps.slice(format - 1)) newer = step(newer);
  return newer;
}

/** `inNewestFormat` for one log, whose bodies are given in their order. @throws SessionError as `knownFormat` */
export function forward(steps: readonly FormatStep[] = FORMAT_STEPS): (body: EntryBody) => EntryBody {
  const newest = newestFormat(steps);
  let format = newest;
  return (body) => {
    if (body.type === 'session_created' || body.type === 'format_raised') format = knownFormat(body.format, steps);
    return format === newest ? body : inNewestFormat(body, format, steps);
  };
}
