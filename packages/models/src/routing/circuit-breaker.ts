import type { Model } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, checkValue, type OptionRules } from '@x/errors/option-rules';
import { createModel } from '../create-model.ts';
import { checkProviderConfig, type ProviderConfig } from '../wire/provider-config.ts';
import { Circuit, type CircuitRules, type CircuitState } from './circuit.ts';
import { CircuitNames } from './circuit-name.ts';
import { guardedModel } from './guarded-model.ts';

/** When a circuit opens, and for how long. */
export interface CircuitBreakerOptions {
  /** Failures that open a circuit, among the last 2 x as many outcomes and within `windowMs`; default 5, at most 1000. */
  readonly failures?: number;
  /** Milliseconds; default 60000. */
  readonly windowMs?: number;
  /** Milliseconds without calls, unless the service asks for more; default 30000. */
  readonly openMs?: number;
  /** Milliseconds of a clock that never goes back; default `performance.now`. */
  readonly now?: () => number;
}
/** A provider for sessions, of the kind `custom`. */
export interface GuardedProvider {
  readonly type: 'custom';
  /** The same object for the same name. @throws ValidationError, AuthenticationError, as `createModel` */
  createModel(name: string): Model;
}
/** The state of one service and key. */
export interface CircuitHealth {
  /** The name given to `guard`, or provider, origin and a hash in which the key can not be found, new in each breaker. */
  readonly circuit: string;
  /** `half_open` when the next call is let through, or its answer is awaited. */
  readonly state: CircuitState;
  /** Failures within `windowMs`. */
  readonly failures: number;
  /** Code of the last failure, if there was one. */
  readonly lastCode?: string;
  /** Seconds until the next call may be made; absent when it may be made now. */
  readonly retryAfter?: number;
}
/** Circuits of services and keys. Hand one to all sessions of a process. Holds no timer, and is not to be closed. */
export interface CircuitBreaker {
  /** A provider whose models share one circuit with all that have the same type, address, key and headers. @throws ValidationError */
  provider(config: ProviderConfig): GuardedProvider;
  /** The model, sharing one circuit with all that have the same `circuit`: for models of the host and of the AI SDK. @throws ValidationError */
  guard(model: Model, circuit: string): Model;
  /** The circuits that were asked, at most the 1000 last ones, the last one last. */
  health(): readonly CircuitHealth[];
}

const OPTIONS: OptionRules<CircuitBreakerOptions> = {
  failures: is.count(1, 1_000),
  windowMs: is.finiteMilliseconds(),
  openMs: is.finiteMilliseconds(),
  now: is.callback,
};
const MODEL = is.required(is.having('a Model, with a stream function', 'stream'));
const MAX_CIRCUITS = 1_000;

/**
 * Creates a circuit breaker: a service or a key that keeps failing is not asked for a while, and calls fail at once with
 * `MODEL_UNAVAILABLE`, so that a fallback or a route takes over without waiting. What counts: an overload, a status of 500 or more, a
 * connection that failed or was cut, a rate limit with `retryAfter`, a refused key, a used up quota. @throws ValidationError
 */
export function circuitBreaker(options: CircuitBreakerOptions = {}): CircuitBreaker {
  checkOptions('circuitBreaker options', options, OPTIONS);
  const { failures = 5, windowMs = 60_000, openMs = 30_000, now = () => performance.now() } = options;
  const circuits = new Circuits({ failures, windowMs, openMs, now });
  const names = new CircuitNames();
  return {
    provider(config) {
      const own = { ...checkProviderConfig(config) };
      const models = new Map<string, Model>();
      return {
        type: 'custom',
        createModel(name) {
          const known = models.get(name) ?? guardedModel(createModel(own, name), () => circuits.get(names.of(own)));
          models.set(name, known);
          return known;
        },
      };
    },
    guard(model, circuit) {
      checkValue('model', model, MODEL);
      checkValue('circuit', circuit, is.required(is.words));
      return guardedModel(model, () => circuits.get(circuit));
    },
    health: () => circuits.health(),
  };
}

/** By name, the one asked last at the end. */
class Circuits {
  readonly #rules: CircuitRules;
  readonly #known = new Map<string, Circuit>();

  constructor(rules: CircuitRules) {
    this.#rules = rules;
  }

  get(name: string): Circuit {
    const circuit = this.#known.get(name) ?? new Circuit(this.#rules);
    this.#known.delete(name);
    this.#known.set(name, circuit);
    if (this.#known.size > MAX_CIRCUITS) this.#known.delete([...this.#known.keys()][0]!); // there is one
    return circuit;
  }

  health(): readonly CircuitHealth[] {
    return Array.from(this.#known, ([circuit, { state, failures, lastCode, refusesForMs }]) => ({
      circuit,
      state,
      failures,
      ...(lastCode === undefined ? {} : { lastCode }),
      ...(refusesForMs === 0 ? {} : { retryAfter: refusesForMs / 1000 }),
    }));
  }
}
