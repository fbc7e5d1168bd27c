import type { Picture } from './three-states.ts';

const FILES = ['one', 'two', 'three'];
const BYTES = 20_000;

/** What a process has told somebody outside: a call, or the rewind of its message, of this round is on the disk. */
export interface RoundTold {
  readonly kind: 'call' | 'rewound';
  readonly round: number;
}

/** The files after a round: each of them is replaced, and a link comes and goes. */
export function afterRound(round: number): Picture {
  const files = FILES.map((name) => [name, `644 ${`${name} ${round}\n`.repeat(BYTES / 10)}`]);
  return Object.fromEntries(round % 2 === 1 ? [...files, ['link', `-> to ${round}`]] : files);
}
