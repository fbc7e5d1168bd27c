import { isAgentError } from '@x/core';
import type { OptionRule } from '@x/errors/option-rules';
import * as is from '@x/errors/option-rules';
import type { OwnerEvent } from '../log/owner-events.ts';
import type { SessionStore } from '../log/session-store.ts';

/** Attributes of a measurement, in OpenTelemetry's types. */
type Attributes = Readonly<Record<string, string>>;
interface InstrumentOptions {
  readonly description: string;
  /** In UCUM: `s`, `{session}`. */
  readonly unit: string;
}
type Gauge = object;
type Measure = (result: { observe(gauge: Gauge, value: number): void }) => Promise<void>;

/** The part of an OpenTelemetry `Meter` that workers use: `metrics.getMeter('...')` of `@opentelemetry/api`. Its owner closes the provider. */
export interface SessionMeter {
  createCounter(name: string, options: InstrumentOptions): { add(value: number, attributes: Attributes): void };
  createObservableGauge(name: string, options: InstrumentOptions): Gauge;
  addBatchObservableCallback(measure: Measure, gauges: Gauge[]): void;
  removeBatchObservableCallback(measure: Measure, gauges: Gauge[]): void;
}

/** The rule of an option `meter`. */
export const METER: OptionRule = is.having(
  'a meter of OpenTelemetry',
  'createCounter',
  'createObservableGauge',
  'addBatchObservableCallback',
  'removeBatchObservableCallback',
);

/** Counts what happens to the owners of sessions in this process. `error.type` and `agent_sdk.after` have few values, none of them an id. */
export function ownerMetrics(meter: SessionMeter): (event: OwnerEvent) => void {
  const lost = meter.createCounter('agent_sdk.sessions.lost', {
    description: 'Sessions that this process was running and has lost, with their lease or their store',
    unit: '{session}',
  });
  const takenUp = meter.createCounter('agent_sdk.sessions.taken_up', {
    description: 'Runs of other owners that this process has gone on with',
    unit: '{session}',
  });
  return (event) => {
    if (event.type === 'taken_up') takenUp.add(1, { 'agent_sdk.after': event.after });
    else lost.add(1, { 'error.type': isAgentError(event.error) ? event.error.code : '_OTHER' });
  };
}

/**
 * Measures, whenever the meter is read and until what `begin` returns is disposed of, the sessions of the store that have something to run and nobody
 * who runs them, with one query. A store that does not answer is not measured, nor one without `backlog`.
 */
export async function measuredBacklog(
  meter: SessionMeter,
  store: SessionStore,
  begin: () => Promise<AsyncDisposable | undefined>,
): Promise<AsyncDisposable> {
  const end = measureBacklog(meter, store);
  try {
    const begun = await begin();
    return {
      async [Symbol.asyncDispose]() {
        end();
        await begun?.[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    end();
    throw error;
  }
}

function measureBacklog(meter: SessionMeter, store: SessionStore): () => void {
  if (!store.backlog) return () => undefined;
  const depth = meter.createObservableGauge('agent_sdk.queue.depth', {
    description: 'Sessions of the store with something to run that nobody runs',
    unit: '{session}',
  });
  const age = meter.createObservableGauge('agent_sdk.queue.age', {
    description: 'Time that the first of these sessions has waited',
    unit: 's',
  });
  const gauges = [depth, age];
  const measure: Measure = async (result) => {
    const found = await store.backlog?.().catch(() => undefined); // who serves reports a store that is away
    if (!found) return;
    result.observe(depth, found.sessions);
    result.observe(age, found.oldestMs / 1_000);
  };
  meter.addBatchObservableCallback(measure, gauges);
  return () => meter.removeBatchObservableCallback(measure, gauges);
}
