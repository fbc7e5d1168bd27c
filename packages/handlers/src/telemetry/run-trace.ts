import type { AssistantMessage, ModelRequest, RunContext, RunEnd, TokenUsage } from '@x/core';
import { addUsage } from '@x/core/internal';
import { agentAttributes, finishReasonOf, modelAttributes, usageAttributes } from './attributes.ts';
import { markFailed } from './error-type.ts';
import type { SpanLike, SpanStart, TracerLike } from './tracer-like.ts';

const NO_TRACE = /^0*$/;

/** A span of a run that ends once, whoever ends it first. */
export interface OpenSpan {
  readonly span: SpanLike;
  /** Runs `work` with the span active. */
  readonly active: <T>(work: () => T) => T;
  /** Ends the span; the first call counts. `last` is applied to the span before. */
  end(last?: (span: SpanLike) => void): void;
}

/** The spans of one run: its own, started when the first call needs it, and those of its calls. */
export class RunTrace {
  readonly #run: RunContext;
  readonly #tracer: TracerLike;
  readonly #parent: () => SpanLike | undefined;
  readonly #beganAt = Date.now();
  readonly #open = new Set<OpenSpan>();
  readonly #calls = new Map<string, SpanLike>();
  #own: OpenSpan | undefined;
  #off = false;
  #usage: TokenUsage | undefined;
  #finishReason: string | undefined;

  constructor(run: RunContext, tracer: TracerLike, parent: () => SpanLike | undefined) {
    this.#run = run;
    this.#tracer = tracer;
    this.#parent = parent;
  }

  /** The span of the run; undefined when nobody records it. `request` names the model that the run uses. */
  own(request: Pick<ModelRequest, 'model'> = {}): SpanLike | undefined {
    if (this.#own || this.#off) return this.#own?.span;
    const attributes = { ...agentAttributes(this.#run, 'invoke_agent'), ...modelAttributes(request) };
    const start = { kind: 0 as const, attributes, startTime: this.#beganAt };
    const span = this.#tracer.startSpan(`invoke_agent ${this.#run.agentName}`, start, this.#parent());
    // An unrecorded span that is part of a trace passes the decision not to record to the spans below it.
    this.#off = !span.isRecording() && NO_TRACE.test(span.spanContext().traceId);
    if (this.#off) span.end();
    else this.#own = this.#opened(span);
    return this.#own?.span;
  }

  /** Starts a span below that of the run. Until it ends, spans of runs started by `callId` are below it. */
  start(name: string, start: SpanStart, callId?: string): OpenSpan {
    const span = this.#tracer.startSpan(name, start, this.own());
    if (callId === undefined) return this.#opened(span);
    this.#calls.set(callId, span);
    return this.#opened(span, () => this.#calls.delete(callId));
  }

  /** The parent span of a run that call `callId` of this run has started. */
  spanOfCall(callId: string): SpanLike | undefined {
    return this.#calls.get(callId) ?? this.#own?.span;
  }

  /** Adds a reply of this agent itself. */
  add(reply: AssistantMessage): void {
    this.#usage = this.#usage ? addUsage(this.#usage, reply.usage) : reply.usage;
    this.#finishReason = finishReasonOf(reply);
  }

  /** Ends all open spans, the span of the run last. */
  end({ subtype, failure }: RunEnd, recordContent: boolean): void {
    this.own(); // a run that failed before its first call has a span, too
    for (const open of this.#open) if (open !== this.#own) open.end();
    this.#own?.end((span) => {
      span.setAttributes({
        'agent_sdk.outcome': subtype,
        ...(this.#usage ? usageAttributes(this.#usage) : {}),
        ...(this.#finishReason === undefined ? {} : { 'gen_ai.response.finish_reasons': [this.#finishReason] }),
      });
      if (subtype === 'error') markFailed(span, failure, recordContent);
    });
  }

  #opened(span: SpanLike, onEnd?: () => void): OpenSpan {
    const open: OpenSpan = {
      span,
      active: this.#tracer.activate(span),
      end: (last) => {
        if (!this.#open.delete(open)) return;
        onEnd?.();
        try {
          last?.(span);
        } finally {
          span.end();
        }
      },
    };
    this.#open.add(open);
    return open;
  }
}
