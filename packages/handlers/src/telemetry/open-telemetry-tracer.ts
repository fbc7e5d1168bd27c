import type * as OpenTelemetry from '@opentelemetry/api';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import type { SpanLike, SpanStart, TracerLike } from './tracer-like.ts';

/** The scope of the spans; dashboards may filter by it. */
const SCOPE = '@x/agent-sdk';

/** The required part of an OpenTelemetry `TracerProvider`. */
export interface TracerProviderLike {
  getTracer(name: string): { startSpan(name: string, options?: object, context?: unknown): SpanLike };
}

/** Options of `openTelemetryTracer`. */
export interface OpenTelemetryOptions {
  /** Default: the globally registered one, even if it is registered later. */
  readonly provider?: TracerProviderLike;
}

const OPTIONS: OptionRules<OpenTelemetryOptions> = {
  provider: is.having('a TracerProvider, with a function getTracer', 'getTracer'),
};

/** A tracer over `@opentelemetry/api` (1.9 or later), an optional peer; undefined when it is not installed. @throws ValidationError */
export async function openTelemetryTracer(options: OpenTelemetryOptions = {}): Promise<TracerLike | undefined> {
  checkOptions('openTelemetryTracer options', options, OPTIONS);
  const { provider } = options;
  const api = await import('@opentelemetry/api').catch(undefinedIfMissing); // bundlers know by the catch that it may be missing
  if (!api) return undefined;
  const tracer = tracerOver(api, (provider ?? api.trace).getTracer(SCOPE));
  return provider ? tracer : { ...tracer, isIdle: () => isUnregistered(api.trace.getTracerProvider()) };
}

/** True while the API's global provider, a proxy, has no registered one. */
function isUnregistered(provider: object): boolean {
  const proxy = provider as { getDelegateTracer?(name: string): unknown }; // read as possibly absent
  return proxy.getDelegateTracer !== undefined && proxy.getDelegateTracer(SCOPE) === undefined;
}

/** Takes the error of an import: undefined for a package that is not installed. @throws any other error */
export function undefinedIfMissing(error: unknown): undefined {
  const { code } = (error ?? {}) as { code?: unknown }; // read as unknown
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw error;
}

type Api = typeof OpenTelemetry;
type OwnTracer = ReturnType<TracerProviderLike['getTracer']>;
type ApiSpan = Parameters<Api['trace']['setSpan']>[1];

function tracerOver({ context, trace }: Api, tracer: OwnTracer): TracerLike {
  // safe: every span here was made by `tracer`
  const around = (span: SpanLike) => trace.setSpan(context.active(), span as ApiSpan);
  return {
    startSpan: (name: string, start: SpanStart, parent?: SpanLike) =>
      tracer.startSpan(name, start, parent ? around(parent) : context.active()),
    activate(span) {
      const active = around(span);
      return (work) => context.with(active, work);
    },
  };
}
