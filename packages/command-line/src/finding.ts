import type { CommandWord } from './command-line.ts';

/** Something that a command runs in addition to itself. */
export interface Finding {
  /** The words of a command it runs, the program first. */
  readonly inner?: readonly CommandWord[];
  /** Any of `inner` may be the program. */
  readonly anyWord?: true;
  /** Shell text it runs. */
  readonly text?: string;
  /** The reason why it may run something that is not named. */
  readonly unknown?: string;
}
