/** Attributes of a span, as OpenTelemetry takes them. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | string[]>>;

/** What telemetry needs of a span; an OpenTelemetry `Span` is one. */
export interface SpanLike {
  isRecording(): boolean;
  /** `traceId` is all zeros when the span belongs to no trace. */
  spanContext(): { readonly traceId: string };
  setAttributes(attributes: SpanAttributes): unknown;
  /** Code 2 is an error. */
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** How a span begins. */
export interface SpanStart {
  /** The kinds of OpenTelemetry: 0 is internal, 2 is a client. */
  readonly kind: 0 | 2;
  readonly attributes: SpanAttributes;
  /** Milliseconds since 1970; absent, now. */
  readonly startTime?: number;
}

/** What telemetry needs of OpenTelemetry; `openTelemetryTracer` makes one. */
export interface TracerLike {
  /** A span below `parent`; without one, below the span that is active now. */
  startSpan(name: string, start: SpanStart, parent?: SpanLike): SpanLike;
  /** A function that runs `work` with the span active, so that spans started by `work` are its children. */
  activate(span: SpanLike): <T>(work: () => T) => T;
  /** True while nobody would record a span, as when no provider is registered: the handler may be left out of a run that begins now. */
  isIdle?(): boolean;
}
