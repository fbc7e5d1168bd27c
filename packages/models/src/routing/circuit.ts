import { failureFacts } from '@x/core/internal';

/** Rules of a circuit, in milliseconds of its clock. */
export interface CircuitRules {
  readonly failures: number;
  readonly windowMs: number;
  readonly openMs: number;
  readonly now: () => number;
}
/** State of a circuit; `half_open` lets one call through, or waits for its answer. */
export type CircuitState = 'closed' | 'open' | 'half_open';
/** One call that was let through. Each outcome is told once; after the first, and after a change of state, nothing counts. */
export interface Passage {
  /** The service has begun to answer. */
  answered(): void;
  /** The service has failed, before or after it had begun to answer. */
  failed(error: unknown): void;
  /** Nothing is known: the call was given up, or the request was refused. */
  left(): void;
}
interface Outcome {
  readonly at: number;
  /** The service asks not to be asked before; 0 for an answer. */
  readonly until: number;
  readonly isFailure: boolean;
}

/**
 * Closed, it opens when `failures` of the last 2 x `failures` outcomes were failures, all of them within `windowMs`: half of the calls. Open,
 * it refuses for `openMs`, or as long as the service asks; then one call passes. It closes when that one is answered, opens again when it
 * fails, and lets another one pass when it was given up, or has no answer after `openMs`.
 */
export class Circuit {
  readonly #rules: CircuitRules;
  /** The last ones, at most twice as many as failures open it, from a failure on. */
  #outcomes: Outcome[] = [];
  #refusesUntil: number | undefined;
  #probe: Passage | undefined;
  #era = {};
  /** Code of the last failure. */
  lastCode: string | undefined;

  constructor(rules: CircuitRules) {
    this.#rules = rules;
  }

  get state(): CircuitState {
    if (this.#refusesUntil === undefined) return 'closed';
    return this.#probe || this.refusesForMs === 0 ? 'half_open' : 'open';
  }

  /** Milliseconds until the next call may pass; 0 when it may now. */
  get refusesForMs(): number {
    return Math.max(0, (this.#refusesUntil ?? 0) - this.#rules.now());
  }

  /** Failures within the window. */
  get failures(): number {
    const from = this.#rules.now() - this.#rules.windowMs;
    return this.#outcomes.filter(({ at, isFailure }) => isFailure && at > from).length;
  }

  /** Undefined when the call may not be made. */
  enter(): Passage | undefined {
    if (this.#refusesUntil === undefined) return this.#passage(this.#era);
    if (this.refusesForMs > 0) return undefined;
    this.#refusesUntil = this.#rules.now() + this.#rules.openMs;
    this.#era = {};
    this.#probe = this.#passage(this.#era);
    return this.#probe;
  }

  #passage(era: object): Passage {
    let isAnswered = false;
    const isOver = () => era !== this.#era;
    return {
      answered: () => {
        if (isAnswered || isOver()) return;
        isAnswered = true;
        if (this.#refusesUntil === undefined) this.#note({ isFailure: false, until: 0 });
        else this.#close();
      },
      failed: (error) => {
        if (isOver()) return;
        const { code, retryAfter = 0 } = failureFacts(error);
        this.lastCode = code;
        this.#note({ isFailure: true, until: this.#rules.now() + retryAfter * 1000 });
      },
      left: () => {
        if (isOver() || this.#refusesUntil === undefined) return;
        this.#refusesUntil = this.#rules.now();
        this.#probe = undefined;
      },
    };
  }

  #note({ isFailure, until }: Omit<Outcome, 'at'>): void {
    const { failures: most, now } = this.#rules;
    if (this.#outcomes.length === 0 && !isFailure) return;
    this.#outcomes.push({ at: now(), until, isFailure });
    this.#outcomes = this.#outcomes.slice(-2 * most);
    if (isFailure && (this.#refusesUntil !== undefined || this.failures >= most)) this.#open();
  }

  #open(): void {
    const { now, openMs } = this.#rules;
    this.#refusesUntil = Math.max(now() + openMs, ...this.#outcomes.map(({ until }) => until));
    this.#probe = undefined;
    this.#era = {};
  }

  #close(): void {
    this.#refusesUntil = undefined;
    this.#probe = undefined;
    this.#outcomes = [];
    this.#era = {};
  }
}
