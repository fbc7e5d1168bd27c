import { openTelemetryTracer, type TelemetryOptions, type TracerLike } from '@x/handlers';
import type { UsageFacts } from '@x/handlers/internal';
import { costOf, priceOf } from '@x/models';
import type { SessionOptions } from '../options/types.ts';

/**
 * The key under which the copies of `@opentelemetry/api` share the host's registrations (its `makeGlobal`); absent until it registers
 * something.
 */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

/** The host's tracer, else the globally registered one; looked up at each run, as it may be registered at any time. */
export async function tracerOf({ tracer }: SessionOptions): Promise<TracerLike | undefined> {
  if (tracer || !Object.hasOwn(globalThis, REGISTERED)) return tracer;
  return await openTelemetryTracer();
}

/** Options for spans with the cost of each call; empty when nobody records spans. */
export function telemetry(
  tracer: TracerLike | undefined,
  options: SessionOptions,
): { readonly telemetry?: TelemetryOptions } {
  const { prices = {}, recordContent = false } = options;
  if (!tracer || tracer.isIdle?.()) return {};
  const cost = ({ model, usage }: UsageFacts) => {
    const price = priceOf(model, prices);
    return price && costOf(usage, price);
  };
  return { telemetry: { tracer, recordContent, cost } };
}
