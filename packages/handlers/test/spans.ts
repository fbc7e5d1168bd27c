import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import type { AgentEvent, AgentHandler, ModelRequest, RunContext, RunEnd, Tool, ToolNext } from '@x/core';
import { collect, type Script, scriptedModel } from '@x/core/testing';
import { Pipeline } from '../src/pipeline.ts';
import { openTelemetryTracer } from '../src/telemetry/open-telemetry-tracer.ts';
import { type TelemetryOptions, telemetryHandler } from '../src/telemetry/telemetry-handler.ts';
import type { TracerLike } from '../src/telemetry/tracer-like.ts';
import { configOf, run } from './values.ts';

/** The real SDK, its spans kept in memory; counts how often each span was ended. Registers the context manager until `close`. */
export async function spanCollector() {
  const exporter = new InMemorySpanExporter();
  const started: ReadableSpan[] = [];
  const processor = new SimpleSpanProcessor(exporter);
  const counting = {
    onStart: (span: ReadableSpan) => void started.push(span),
    onEnd: () => undefined,
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
  const provider = new BasicTracerProvider({ spanProcessors: [counting, processor] });
  const manager = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(manager);
  const tracer = (await openTelemetryTracer({ provider }))!;
  return {
    tracer: tracer satisfies TracerLike,
    provider,
    started,
    spans: () => exporter.getFinishedSpans(),
    async close() {
      context.disable();
      await provider.shutdown();
    },
  };
}
export type SpanCollector = Awaited<ReturnType<typeof spanCollector>>;

/** The tree of the finished spans, one line a span, children indented, in the order they began. */
export function treeOf({ spans, started }: SpanCollector): string[] {
  const finished = new Set(spans().map((span) => span.spanContext().spanId));
  const below = (parent: string | undefined, depth: number): string[] =>
    started
      .filter((span) => span.parentSpanContext?.spanId === parent)
      .flatMap((span) => {
        const { spanId } = span.spanContext();
        const name = finished.has(spanId) ? span.name : `${span.name} (open)`;
        return [`${'  '.repeat(depth)}${name}`, ...below(spanId, depth + 1)];
      });
  return below(undefined, 0);
}

/** The finished span of a name. */
export function spanNamed({ spans }: SpanCollector, name: string): ReadableSpan {
  const found = spans().find((span) => span.name === name);
  if (found) return found;
  throw new Error(
    `No span ${name}; there are ${spans()
      .map((span) => span.name)
      .join(', ')}`,
  );
}

/** A child of whatever span is active, as a library that a tool uses would start it. */
export function inner({ provider }: SpanCollector, name: string): void {
  provider.getTracer('library').startSpan(name, {}, context.active()).end();
}

/** The name of the active span. */
export function activeName(): string | undefined {
  return (trace.getActiveSpan() as ReadableSpan | undefined)?.name;
}

export interface MiniRun {
  readonly script: Script;
  readonly telemetry?: TelemetryOptions;
  readonly tools?: readonly Tool[];
  /** Inside of telemetry. */
  readonly handlers?: readonly AgentHandler[];
  readonly context?: Partial<RunContext>;
  readonly subtype?: RunEnd['subtype'];
}

/** A run as small as can be, through the real pipeline: model, all its calls side by side, model again, until none is asked for. */
export function miniRun({
  script,
  telemetry,
  tools = [],
  handlers = [],
  context: facts,
  subtype = 'success',
}: MiniRun) {
  const pipeline = new Pipeline([...(telemetry ? [telemetryHandler(telemetry)] : []), ...handlers]);
  const self = { ...run(), ...facts };
  const model = scriptedModel(script, { name: 'gpt-x' });
  const request: ModelRequest = {
    instruction: 'SECRET instruction',
    messages: configOf().input,
    tools,
    signal: self.signal,
    model: { ...model, provider: 'openai-compatible' },
  };
  return pipeline.observe(loop(), self);

  async function* loop(): AsyncGenerator<AgentEvent, { subtype: RunEnd['subtype'] }, void> {
    await pipeline.beforeAgent(configOf(...tools), self);
    for (;;) {
      const reply = yield* pipeline.callModel(request, (changed) => model.stream(changed), self);
      const uses = reply.content.filter((block) => block.type === 'tool_use');
      if (uses.length === 0) return { subtype };
      const streams = uses.map(({ id, name, input }) => {
        const tool = tools.find((one) => one.name === name);
        const call = { id, name, input, tool, workspace: {} as never, signal: self.signal };
        return pipeline.callTool(call, execute(self), self);
      });
      yield* sideBySide(streams);
    }
  }
}

/** A run under telemetry, read to its end; failures are the caller's to see. */
export function traced(
  { tracer }: SpanCollector,
  parts: Omit<MiniRun, 'telemetry'>,
  options: Partial<TelemetryOptions> = {},
) {
  return collect(miniRun({ ...parts, telemetry: { tracer, ...options } }));
}

/** A reply that calls these tools. */
export const asks = (...names: string[]) => ({ toolCalls: names.map((name) => ({ name })) });

function execute(self: RunContext): ToolNext {
  return async function* ({ tool, id, input, workspace, signal }) {
    if (!tool) return { output: 'SECRET not found', isError: true };
    // safe: tools of these tests use the run and the signal only
    return yield* tool.execute(input, { run: self, callId: id, signal, workspace } as never);
  };
}

/** One step of each in turn, so that they overlap at every await. */
async function* sideBySide<E>(streams: readonly AsyncGenerator<E, unknown, void>[]): AsyncGenerator<E, void, void> {
  let running = [...streams];
  try {
    while (running.length > 0) {
      const steps = await Promise.all(running.map((stream) => stream.next()));
      running = running.filter((_, index) => !steps[index]!.done);
      for (const step of steps) if (!step.done) yield step.value;
    }
  } finally {
    await Promise.allSettled(running.map((stream) => stream.return(undefined)));
  }
}
