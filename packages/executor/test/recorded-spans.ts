import { AsyncLocalStorage } from 'node:async_hooks';
import type { TracerLike } from '@x/handlers';
import type { SpanLike } from '@x/handlers/internal';

/** A span as a tracer would export it. */
export interface RecordedSpan extends SpanLike {
  readonly name: string;
  readonly parent: RecordedSpan | undefined;
  readonly attributes: Record<string, unknown>;
  failed: boolean;
  ends: number;
}

/** A tracer that keeps its spans, with the active one in asynchronous context. */
export function recordedSpans() {
  const spans: RecordedSpan[] = [];
  const active = new AsyncLocalStorage<RecordedSpan>();
  const tracer: TracerLike = {
    startSpan(name, { attributes }, parent = active.getStore()) {
      const span: RecordedSpan = {
        name,
        parent: parent as RecordedSpan | undefined, // safe: all spans are made here
        attributes: { ...attributes },
        failed: false,
        ends: 0,
        isRecording: () => true,
        spanContext: () => ({ traceId: '1' }),
        setAttributes: (more) => Object.assign(span.attributes, more),
        setStatus: ({ code }) => void (span.failed = code === 2),
        end: () => void (span.ends += 1),
      };
      spans.push(span);
      return span;
    },
    activate: (span) => (work) => active.run(span as RecordedSpan, work),
  };
  /** One line a span, children indented, in the order they began. */
  const tree = (parent?: RecordedSpan, depth = 0): string[] =>
    spans
      .filter((span) => span.parent === parent)
      .flatMap((span) => [`${'  '.repeat(depth)}${span.name}`, ...tree(span, depth + 1)]);
  const named = (name: string): RecordedSpan => {
    const found = spans.find((span) => span.name === name);
    if (!found) throw new Error(`No span ${name}; there are ${spans.map((span) => span.name).join(', ')}`);
    return found;
  };
  return { tracer, spans, tree, named, activeName: () => active.getStore()?.name };
}
