import { AbortError, knownNames, ValidationError } from '@x/core';
import { checkTime, unfit } from './check-options.ts';
import { ConcurrencyGate } from './concurrency-gate.ts';
import type { LimitPer, RateLimit, ToolExecutorOptions } from './execution-options.ts';
import type { Gate, GateOptions } from './gate.ts';
import { KeyedGates } from './keyed-gates.ts';
import { RateGate } from './rate-gate.ts';

/** Whose limits an attempt has to pass. */
export interface Applicant {
  /** A name, or the function itself. */
  readonly tool: unknown;
  readonly caller: string | undefined;
  readonly signal: AbortSignal | undefined;
}

type Limits = Pick<ToolExecutorOptions, 'concurrency' | 'rateLimit' | 'maxQueue' | 'maxWait'>;
type Whose = 'caller' | 'tool';
type GateMaker = (limit: unknown, options: GateOptions) => Gate;

/**
 * Lets attempts through the limits of their caller, then those of their tool: whoever waits for a tool holds a place of the caller
 * only, so that callers do not hold up each other.
 */
export class Admission {
  readonly #steps: readonly { readonly of: Whose; readonly gates: KeyedGates }[];

  /** @throws ValidationError */
  constructor(limits: Limits) {
    const { concurrency, rateLimit } = checked(limits);
    this.#steps = [
      ...step('caller', concurrency?.perCaller, placesGate, limits),
      ...step('caller', rateLimit?.perCaller, rateGate, limits),
      ...step('tool', concurrency?.perTool, placesGate, limits),
      ...step('tool', rateLimit?.perTool, rateGate, limits),
    ];
  }

  /** Without limits, there is nothing to pass. */
  get open(): boolean {
    return this.#steps.length === 0;
  }

  /** Resolves with what gives the places back. @throws RateLimitError, AbortError */
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

function step<Limit>(
  of: Whose,
  limit: LimitPer<Limit> | undefined,
  make: GateMaker,
  { maxQueue = 1_000, maxWait = 30_000 }: Limits,
): readonly { readonly of: Whose; readonly gates: KeyedGates }[] {
  if (limit === undefined) return [];
  const gateOf = (key: unknown): Gate | undefined => {
    const name = typeof key === 'string' ? key : undefined;
    const own = isPerName(limit) ? limit(name) : limit;
    if (own === undefined) return undefined;
    return make(own, { name: name === undefined ? `this ${of}` : `${of} ${name}`, maxQueue, maxWait });
  };
  if (!isPerName(limit)) gateOf(''); // one that does not fit is refused now, not at the first call
  return [{ of, gates: new KeyedGates(gateOf) }];
}

function isPerName<Limit>(limit: LimitPer<Limit>): limit is (name: string | undefined) => Limit | undefined {
  return typeof limit === 'function';
}

const placesGate: GateMaker = (limit, options) => {
  if (!isCount(limit)) throw unfit('concurrency', limit, 'a whole number from 1');
  return new ConcurrencyGate(limit, options);
};

const rateGate: GateMaker = (rate, options) => {
  const { limit, window } = (rate ?? {}) as Partial<Record<keyof RateLimit, unknown>>; // safe: read as unknown
  if (typeof rate === 'object' && rate !== null) refuseOthers('rateLimit', rate, ['limit', 'window']);
  if (!isCount(limit)) throw unfit('rateLimit.limit', limit, 'a whole number from 1');
  if (!(typeof window === 'number' && window > 0 && Number.isFinite(window))) {
    throw unfit('rateLimit.window', window, 'a number of milliseconds above 0');
  }
  return new RateGate({ limit, window }, options);
};

function checked(limits: Limits): Limits {
  const { concurrency, rateLimit, maxQueue, maxWait } = limits;
  for (const [key, value] of Object.entries({ concurrency, rateLimit })) {
    if (value === undefined) continue;
    if (typeof value !== 'object' || value === null) throw unfit(key, value, '{ perTool, perCaller }');
    refuseOthers(key, value, ['perTool', 'perCaller']);
    if (Object.keys(value).length > 0) continue;
    throw new ValidationError(`${key} has no effect without perTool or perCaller; leave it out`, key);
  }
  if (maxQueue !== undefined && !(Number.isSafeInteger(maxQueue) && maxQueue >= 0)) {
    throw unfit('maxQueue', maxQueue, 'a whole number from 0');
  }
  if (maxWait !== undefined) checkTime('maxWait', maxWait);
  const idle =
    concurrency || rateLimit ? undefined : (['maxQueue', 'maxWait'] as const).find((key) => limits[key] !== undefined);
  if (idle) throw new ValidationError(`${idle} has no effect without concurrency or rateLimit; leave it out`, idle);
  return limits;
}

function refuseOthers(key: string, value: object, known: readonly string[]): void {
  const other = Object.keys(value).find((name) => !known.includes(name));
  if (other !== undefined) throw new ValidationError(`Unknown ${key}.${other}; ${knownNames(other, known)}`, key);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1; // safe: only numbers are safe integers
}
