import { type RunContext, ValidationError } from '@x/core';
import { checkJsonValue } from '@x/core/internal';

/** State that a handler keeps of one run, also over a crash of the process. */
export interface RunNote<T> {
  /** The value set last in this run, also before a crash; undefined when none was. Read only. */
  get(): T | undefined;
  /**
   * Visible to `get` immediately; durable when the promise resolves.
   * @throws ValidationError for a value that JSON cannot represent, with its path
   */
  set(value: T): Promise<void>;
}

/** Values set in this process. A run is one object for all its handlers and tools. */
const held = new WeakMap<RunContext, Map<string, unknown>>();
/** Notes that the loop and the session use themselves. */
const RESERVED = new Set(['usage', 'message_refused', 'input_added']);

/** State of a handler that lasts as long as the run and is restored when the run is resumed. One `name`, one owner. */
export function runNote<T>(run: RunContext, name: string): RunNote<T> {
  if (RESERVED.has(name)) throw new ValidationError(`The note ${name} is the run's own; choose another name`, 'name');
  let values = held.get(run);
  if (!values) held.set(run, (values = new Map<string, unknown>()));
  const own = values;
  return {
    // Set by the owner of the name, hence the type.
    get: () => (own.has(name) ? own.get(name) : run.journal.past.note(name)) as T | undefined,
    async set(value) {
      checkJsonValue(value, `The note ${name}`);
      own.set(name, value);
      await run.journal.write({ type: 'note', name, data: value });
    },
  };
}
