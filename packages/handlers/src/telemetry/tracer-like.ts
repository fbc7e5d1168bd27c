/** Attributes of a span, in OpenTelemetry's types. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | string[]>>;

/** The required part of a span; an OpenTelemetry `Span` is one. */
export interface SpanLike {
  isRecording(): boolean;
  /** `traceId` is all zeros when the span belongs to no trace. */
  spanContext(): { readonly traceId: string };
  setAttributes(attributes: SpanAttributes): unknown;
  /** Code 2 is an error. */
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** Options of a new span. */
export interface SpanStart {
  /** Kinds of OpenTelemetry: 0 is internal, 2 is a client. */
  readonly kind: 0 | 2;
  readonly attributes: SpanAttributes;
  /** Milliseconds since 1970; default: now. */
  readonly startTime?: number;
}

/** The required part of OpenTelemetry; `openTelemetryTracer` creates one. */
export interface TracerLike {
  /** Starts a span below `parent`; without one, below the active span. */
  startSpan(name: string, start: SpanStart, parent?: SpanLike): SpanLike;
  /** Returns a function that runs `work` with the span active, so that spans started by `work` are its children. */
  activate(span: SpanLike): <T>(work: () => T) => T;
  /** True while nobody would record a span, as when no provider is registered: the handler may be left out of a run that begins now. */
  isIdle?(): boolean;
}
