import type { CommandWord } from './command-line.ts';

/** What a command turns out to run beside itself. */
export interface Finding {
  /** The words of a command it runs, the program first. */
  readonly inner?: readonly CommandWord[];
  /** Any of `inner` may be the program. */
  readonly anyWord?: true;
  /** Shell text it runs. */
  readonly text?: string;
  /** Why it may run what is not named. */
  readonly unknown?: string;
}
