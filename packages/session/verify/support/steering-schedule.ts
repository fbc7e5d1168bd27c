import type { SendPriority } from '@x/core';

/** Where a session is when something happens to it. */
export type Place = 'reader' | 'model' | 'tool' | 'handler' | 'store' | 'idle';
/** Who sends: one of two session objects over the same session, or the store itself, as any process may. */
export type Sender = 'one' | 'other' | 'store';
export interface SendAction {
  readonly kind: 'send';
  readonly by: Sender;
  readonly priority: SendPriority;
  readonly awaited: boolean;
  readonly signal: boolean;
  readonly maxTurns?: number;
}
/** `leave`: the reader goes. `signal`: that of a message sent before is aborted. `fail`: the next model call fails. `crash`: all objects are lost. */
export type Action =
  | SendAction
  | { readonly kind: 'abort' | 'leave' | 'close' | 'signal' | 'fail' }
  | { readonly kind: 'crash'; readonly applied: boolean };
/** What happens, and at the earliest at which point of the session. */
export interface Step {
  readonly at: number;
  readonly action: Action;
}
/** One reply of the model. */
export interface Turn {
  readonly deltas: number;
  readonly calls: readonly ('look' | 'work')[];
  /** Says nothing more until it is interrupted, or nothing more happens. */
  readonly hangs: boolean;
  /** Has filled the model's window, so that the history is compacted before the next turn. */
  readonly full: boolean;
}
export interface Schedule {
  readonly steps: readonly Step[];
  readonly turns: readonly Turn[];
  readonly maxTurns: number;
  /** Which object reads the next run. */
  readonly readers: readonly ('one' | 'other')[];
  /** Turns of the event loop that one store operation after the other takes, before and after it is done. */
  readonly delays: readonly number[];
}

/** About as many points as a session of a schedule has; what is planned for later happens between runs. */
const POINTS = 90;

export function scheduleFrom(random: () => number): Schedule {
  const below = (limit: number) => Math.floor(random() * limit);
  const oneOf = <T>(values: readonly T[]): T => values[below(values.length)]!;
  const chance = (share: number) => random() < share;
  const list = <T>(length: number, make: () => T) => Array.from({ length }, make);
  const crowded = chance(0.5);
  const send = (): SendAction => ({
    kind: 'send',
    by: crowded ? oneOf(['one', 'one', 'other', 'store'] as const) : 'one',
    priority: oneOf(['now', 'next', 'next', 'later'] as const),
    awaited: chance(0.5),
    signal: chance(0.3),
    ...(chance(0.2) ? { maxTurns: 1 + below(4) } : {}),
  });
  const rare = (): Action => {
    const kind = oneOf(['abort', 'leave', 'close', 'signal', 'signal', 'fail', 'crash'] as const);
    return kind === 'crash' ? { kind, applied: chance(0.5) } : { kind };
  };
  const calm = chance(0.3);
  const steps = list(2 + below(10), (): Step => ({ at: below(POINTS), action: calm || chance(0.8) ? send() : rare() }));
  return {
    steps: [
      { at: 0, action: { ...send(), by: 'one', awaited: true } },
      ...steps.toSorted((one, two) => one.at - two.at),
    ],
    turns: list(3 + below(8), () => ({
      deltas: below(4),
      calls: list(chance(0.6) ? below(4) : 0, () => oneOf(['look', 'look', 'work'] as const)),
      hangs: chance(0.1),
      full: chance(0.15),
    })),
    maxTurns: 1 + below(6),
    readers: list(8, () => (crowded && chance(0.3) ? 'other' : 'one')),
    delays: list(16, () => (chance(0.5) ? 0 : below(4))),
  };
}
