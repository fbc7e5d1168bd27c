import type {
  AgentEvent,
  AgentHandler,
  ModelNext,
  ModelRequest,
  ModelStream,
  RunContext,
  ToolCall,
  ToolNext,
  ToolStream,
} from '@x/core';
import { forwarded, steppedWithin } from '@x/core/streams';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { agentAttributes, modelAttributes, replyAttributes, type UsageFacts } from './attributes.ts';
import { bounded, jsonOf, replyContent, requestContent } from './content.ts';
import { markFailed, markRefused } from './error-type.ts';
import { type OpenSpan, RunTrace } from './run-trace.ts';
import type { TracerLike } from './tracer-like.ts';

/** Options of `telemetryHandler`. */
export interface TelemetryOptions {
  /** Usually the tracer of `openTelemetryTracer`. */
  readonly tracer: TracerLike;
  /** Also records messages, inputs, outputs and the texts of errors, each cut at 4,096 characters. Default false. */
  readonly recordContent?: boolean;
  /**
   * US dollars of one model call, for our own attribute `gen_ai.usage.cost`: the conventions have none. Not asked for a reply whose model
   * says its cost. The attribute is absent when this returns undefined. An error that it throws ends the run.
   */
  readonly cost?: (facts: UsageFacts) => number | undefined;
}

const OPTIONS: OptionRules<TelemetryOptions> = {
  tracer: is.required(is.having('a tracer; make one with openTelemetryTracer()', 'startSpan', 'activate')),
  recordContent: is.flag,
  cost: is.callback,
};

/**
 * Spans in the GenAI conventions of OpenTelemetry (1.41 and later, in development): `invoke_agent` for a run, and below it `chat` for each
 * model call and `execute_tool` for each tool call; the run of a subagent is below the call that started it. Belongs outermost, so that its
 * times include the wait for a permission. While nobody records, calls pass through unchanged. Attributes in addition to the conventions:
 * `agent_sdk.outcome`, `agent_sdk.permission.step`, `agent_sdk.usage.estimated`, `gen_ai.usage.cost`.
 * @throws ValidationError for an unknown option or one of another type
 */
export function telemetryHandler(options: TelemetryOptions): AgentHandler {
  checkOptions('telemetryHandler options', options, OPTIONS);
  const { tracer, recordContent = false } = options;
  const traces = tracesOf(tracer);
  return {
    name: 'telemetry',
    beforeAgent(_config, run) {
      const { parent } = run;
      const above = () => parent && traces.get(parent.run)?.spanOfCall(parent.callId);
      if (!traces.has(run)) traces.set(run, new RunTrace(run, tracer, above));
    },
    wrapModelCall(request, next, run) {
      const trace = traces.get(run);
      return trace?.own(request) ? tracedModelCall(request, next, { trace, run, options }) : next(request);
    },
    wrapToolCall(call, next, run) {
      const trace = traces.get(run);
      return trace?.own() ? tracedToolCall(call, next, { trace, run, options }) : next(call);
    },
    runEnded(end, run) {
      traces.get(run)?.end(end, recordContent);
      traces.delete(run);
    },
  };
}

/** By tracer and not by handler, because the run of a subagent may have its own handlers. */
const byTracer = new WeakMap<TracerLike, WeakMap<RunContext, RunTrace>>();

function tracesOf(tracer: TracerLike): WeakMap<RunContext, RunTrace> {
  const traces = byTracer.get(tracer) ?? new WeakMap<RunContext, RunTrace>();
  byTracer.set(tracer, traces);
  return traces;
}

interface Traced {
  readonly trace: RunTrace;
  readonly run: RunContext;
  readonly options: TelemetryOptions;
}

function tracedModelCall(request: ModelRequest, next: ModelNext, { trace, run, options }: Traced): ModelStream {
  const { recordContent = false, cost } = options;
  const attributes = {
    ...agentAttributes(run, 'chat'),
    ...modelAttributes(request),
    'gen_ai.request.stream': true,
    ...(request.outputFormat ? { 'gen_ai.output.type': 'json' } : {}),
    ...(recordContent ? requestContent(request) : {}),
  };
  const open = trace.start(request.model ? `chat ${request.model.name}` : 'chat', { kind: 2, attributes });
  const beganAt = performance.now();
  // A model that ignores the signal is abandoned; the call is over anyway.
  const onAbort = () => open.end((span) => void span.setAttributes({ 'agent_sdk.outcome': 'aborted' }));
  request.signal.addEventListener('abort', onAbort, { once: true });
  const settled = () => request.signal.removeEventListener('abort', onAbort);
  let begun = false;
  const steps = within(open, () => next(request));
  return forwarded(steps, {
    event(event) {
      if (begun || request.signal.aborted) return event;
      begun = true;
      open.span.setAttributes({ 'gen_ai.response.time_to_first_chunk': (performance.now() - beganAt) / 1_000 });
      return event;
    },
    end(reply) {
      settled();
      trace.add(reply);
      open.end((span) => {
        span.setAttributes(replyAttributes(reply, cost));
        if (recordContent) span.setAttributes(replyContent(reply));
      });
      return reply;
    },
    fail(failure) {
      settled();
      if (request.signal.aborted) onAbort();
      else open.end((span) => markFailed(span, failure, recordContent));
    },
    leave: (stream) =>
      // safe: nobody reads the value
      stream.return(undefined as never).finally(() => {
        settled();
        onAbort();
      }),
  });
}

/** Replaces the name of a tool that does not exist, which is the model's own text, and content. */
const UNKNOWN_TOOL = 'unknown_tool';

function tracedToolCall(call: ToolCall, next: ToolNext, { trace, run, options }: Traced): ToolStream {
  const { recordContent = false } = options;
  const name = call.tool || recordContent ? bounded(call.name) : UNKNOWN_TOOL;
  const attributes = {
    ...agentAttributes(run, 'execute_tool'),
    'gen_ai.tool.name': name,
    'gen_ai.tool.call.id': call.id,
    'gen_ai.tool.type': 'function',
    ...(recordContent ? { 'gen_ai.tool.call.arguments': jsonOf(call.input) } : {}),
  };
  const open = trace.start(`execute_tool ${name}`, { kind: 0, attributes }, call.id);
  let deniedBy: string | undefined;
  const steps = within(open, () => next(call));
  return forwarded(steps, {
    event(event) {
      if (event.type === 'permission' && event.id === call.id) {
        deniedBy = event.decision === 'deny' ? event.step : undefined;
      }
      return event;
    },
    end(result) {
      open.end((span) => {
        if (recordContent) span.setAttributes({ 'gen_ai.tool.call.result': bounded(result.output) });
        if (result.isError) markRefused(span, call, result, deniedBy);
      });
      return result;
    },
    fail: (failure) => open.end((span) => markFailed(span, failure, recordContent)),
    leave: (stream) =>
      stream
        .return(undefined as never) // safe: nobody reads the value
        .finally(() => open.end((span) => void span.setAttributes({ 'agent_sdk.outcome': 'aborted' }))),
  });
}

type Events<R> = AsyncGenerator<AgentEvent, R, void>;

/** Steps the stream with the span active, so that spans it starts are children of it. */
function within<R>({ active }: OpenSpan, start: () => Events<R>): () => Events<R> {
  return () => steppedWithin(active(start), active);
}
