import { AbortError, ValidationError } from '@x/core';
import { checkValue } from '@x/errors/option-rules';
import { PLACES, RATE } from './check-options.ts';
import { ConcurrencyGate } from './concurrency-gate.ts';
import type { RateLimit, ToolExecutorOptions } from './execution-options.ts';
import type { Gate, GateOptions } from './gate.ts';
import { KeyedGates } from './keyed-gates.ts';
import { RateGate } from './rate-gate.ts';

/** The tool and the caller whose limits apply to an attempt. */
export interface Applicant {
  /** A name, or the function itself. */
  readonly tool: unknown;
  readonly caller: string | undefined;
  readonly signal: AbortSignal | undefined;
}

type Limits = Pick<ToolExecutorOptions, 'concurrency' | 'rateLimit' | 'maxQueue' | 'maxWait'>;
type Whose = 'caller' | 'tool';
interface Step {
  readonly of: Whose;
  readonly gates: KeyedGates;
}

const GATES = {
  concurrency: { rule: PLACES, make: (limit: number, options: GateOptions) => new ConcurrencyGate(limit, options) },
  rateLimit: { rule: RATE, make: (rate: RateLimit, options: GateOptions) => new RateGate(rate, options) },
} as const;

/**
 * Admits attempts through the limits of their caller, then those of their tool: an attempt that waits for a tool holds a place of the
 * caller only, so that callers do not block each other.
 */
export class Admission {
  readonly #steps: readonly Step[];

  /** @throws ValidationError */
  constructor(limits: Limits) {
    checkEffect(limits);
    this.#steps = (['caller', 'tool'] as const).flatMap((of) =>
      (['concurrency', 'rateLimit'] as const).flatMap((kind) => stepsOf(of, kind, limits)),
    );
  }

  /** True without limits. */
  get open(): boolean {
    return this.#steps.length === 0;
  }

  /** Resolves with a function that gives the places back. @throws RateLimitError, AbortError */
  async enter(applicant: Applicant): Promise<() => void> {
    const passed: Gate[] = [];
    const leave = () => {
      for (const gate of passed) gate.leave();
    };
    try {
      for (const { of, gates } of this.#steps) {
        const gate = gates.at(applicant[of]);
        if (!gate) continue;
        await gate.enter(applicant.signal);
        passed.push(gate);
      }
      if (applicant.signal?.aborted) throw new AbortError();
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }
}

function stepsOf(of: Whose, kind: keyof typeof GATES, limits: Limits): readonly Step[] {
  const per = of === 'tool' ? 'perTool' : 'perCaller';
  const limit: unknown = limits[kind]?.[per];
  if (limit === undefined) return [];
  const { maxQueue = 1_000, maxWait = 30_000 } = limits;
  const { rule, make } = GATES[kind];
  const gateOf = (key: unknown): Gate | undefined => {
    const name = typeof key === 'string' ? key : undefined;
    const own: unknown = typeof limit === 'function' ? limit(name) : limit;
    if (own === undefined) return undefined;
    checkValue(`${kind}.${per}`, own, rule);
    return make(own as never, { name: name === undefined ? `this ${of}` : `${of} ${name}`, maxQueue, maxWait }); // safe: checked
  };
  return [{ of, gates: new KeyedGates(gateOf) }];
}

/** @throws ValidationError for limits without effect */
function checkEffect(limits: Limits): void {
  for (const key of ['concurrency', 'rateLimit'] as const) {
    if (!limits[key] || Object.keys(limits[key]).length > 0) continue;
    throw new ValidationError(`${key} has no effect without perTool or perCaller; leave it out`, key);
  }
  if (limits.concurrency || limits.rateLimit) return;
  const idle = (['maxQueue', 'maxWait'] as const).find((key) => limits[key] !== undefined);
  if (idle) throw new ValidationError(`${idle} has no effect without concurrency or rateLimit; leave it out`, idle);
}
