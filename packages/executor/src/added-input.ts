import type { RunRecord, UserMessage } from '@x/core';
import { factsOfRun } from './run-facts.ts';
import type { RunOptions } from './run-options.ts';

/** The number of recorded messages that handlers have added in `beforeAgent`, which runs again when the run is resumed. */
const NOTE = 'input_added';

/** The input without messages of handlers that an interrupted attempt has recorded. Handlers add in the same order each time. */
export function withoutRecorded(input: readonly UserMessage[], options: RunOptions): readonly UserMessage[] {
  const recorded = new Set(addedIn(input, options).slice(0, countIn(options)));
  return recorded.size === 0 ? input : input.filter((message) => !recorded.has(message));
}

/** The note recorded with a message that a handler has added to the input. */
export function addedNote(message: UserMessage, options: RunOptions): readonly RunRecord[] {
  const index = addedIn(factsOfRun(options.run)?.config.input ?? [], options).indexOf(message);
  return index < 0 ? [] : [{ type: 'note', name: NOTE, data: index + 1 }];
}

function addedIn(input: readonly UserMessage[], { config }: RunOptions): readonly UserMessage[] {
  const given = new Set(config.input.map(({ id }) => id));
  return input.filter(({ id }) => !given.has(id));
}

function countIn({ run }: RunOptions): number {
  const count: unknown = run.journal.past.note(NOTE);
  return typeof count === 'number' ? count : 0;
}
