import { type RunContext, ValidationError } from '@x/core';
import { checkJsonValue } from '@x/core/internal';

/** What a handler keeps of one run, also over a crash of the process. */
export interface RunNote<T> {
  /** What was set last in this run, before a crash of it too; undefined when nothing was. To be read, not changed. */
  get(): T | undefined;
  /**
   * Seen by `get` at once; durable when the promise resolves.
   * @throws ValidationError for what JSON cannot carry, with the path of it
   */
  set(value: T): Promise<void>;
}

/** What was set in this process. A run is one object for all its handlers and tools. */
const held = new WeakMap<RunContext, Map<string, unknown>>();
/** Notes that the loop and the session read themselves. */
const RESERVED = new Set(['usage', 'message_refused', 'input_added']);

/** State of a handler that lasts as long as the run and is found again when the run is resumed. One `name`, one owner. */
export function runNote<T>(run: RunContext, name: string): RunNote<T> {
  if (RESERVED.has(name)) throw new ValidationError(`The note ${name} is the run's own; choose another name`, 'name');
  let values = held.get(run);
  if (!values) held.set(run, (values = new Map<string, unknown>()));
  const own = values;
  return {
    // The owner of the name has set it, hence the type.
    get: () => (own.has(name) ? own.get(name) : run.journal.past.note(name)) as T | undefined,
    async set(value) {
      checkJsonValue(value, `The note ${name}`);
      own.set(name, value);
      await run.journal.write({ type: 'note', name, data: value });
    },
  };
}
