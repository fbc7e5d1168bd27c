import { fc, test } from '@fast-check/vitest';
import { AbortError, type AgentHandler, type Tool } from '@x/core';
import { describe, expect, it } from 'vitest';
import { type MiniRun, miniRun, spanCollector } from '../../test/spans.ts';
import { nextTurn, tool } from '../../test/values.ts';
import type { SpanLike, TracerLike } from './tracer-like.ts';

const TOOLS: Readonly<Record<string, (abort: AbortController) => Tool>> = {
  answers: () => tool('answers'),
  fails: () => tool('fails', { execute: () => Promise.reject(new Error('x')) }),
  streams: () =>
    tool('streams', {
      async *execute() {
        yield 'a';
        await nextTurn();
        yield 'b';
      },
    }),
  aborts: (abort) => tool('aborts', { execute: async () => abort.abort() }),
};
const turns = fc.array(fc.array(fc.constantFrom(...Object.keys(TOOLS), 'missing'), { maxLength: 3 }), { maxLength: 4 });
const ending = fc.record({
  how: fc.constantFrom('reads', 'leaves', 'aborts', 'model fails', 'call fails', 'answer fails'),
  at: fc.nat(12),
});
type Ending = typeof ending extends fc.Arbitrary<infer T> ? T : never;

/** How often each span that the tracer made was ended. */
function countingEnds(tracer: TracerLike): { tracer: TracerLike; ends: Map<SpanLike, number> } {
  const ends = new Map<SpanLike, number>();
  const startSpan: TracerLike['startSpan'] = (...parts) => {
    const span = tracer.startSpan(...parts);
    const end = span.end.bind(span);
    ends.set(span, 0);
    span.end = () => {
      ends.set(span, ends.get(span)! + 1);
      end();
    };
    return span;
  };
  return { tracer: { ...tracer, startSpan }, ends };
}

/** Fails the call with that number, before or behind what is inside of it. */
function failing({ how, at }: Ending): AgentHandler {
  let seen = 0;
  return {
    name: 'failing',
    async *wrapToolCall(call, next) {
      const turn = seen++ === at;
      if (turn && how === 'call fails') throw new Error('before');
      const result = yield* next(call);
      if (turn && how === 'answer fails') throw new Error('behind');
      return result;
    },
  };
}

function scriptOf(calls: readonly (readonly string[])[], { how, at }: Ending): MiniRun['script'] {
  return (request, turn) => {
    if (request.signal.aborted) return { error: new AbortError() };
    const text = ['a', 'b'];
    if (how === 'model fails' && turn === at + 1) return { text, error: new Error('model') };
    return { text, toolCalls: (calls[turn - 1] ?? []).map((name) => ({ name })) };
  };
}

async function played(calls: readonly (readonly string[])[], end: Ending) {
  const collector = await spanCollector();
  const { tracer, ends } = countingEnds(collector.tracer);
  const abort = new AbortController();
  const tools = Object.values(TOOLS).map((make) => make(abort));
  const context = { signal: abort.signal };
  const handlers = [failing(end)];
  let events = 0;
  try {
    for await (const _ of miniRun({ script: scriptOf(calls, end), telemetry: { tracer }, tools, handlers, context })) {
      events += 1;
      if (events > end.at && end.how === 'leaves') break;
      if (events > end.at && end.how === 'aborts') abort.abort();
    }
  } catch {
    // however it ends
  }
  await nextTurn();
  await collector.close();
  return { ends, started: collector.started };
}

describe('telemetryHandler', () => {
  test.prop([turns, ending])('ends every span exactly once, however the run ends', async (calls, end) => {
    const { ends, started } = await played(calls, end);

    expect([...ends.values()].every((count) => count === 1)).toBe(true);
    expect(started.every((span) => span.ended)).toBe(true);
    const ids = new Set(started.map((span) => span.spanContext().spanId));
    const roots = started.filter((span) => !ids.has(span.parentSpanContext?.spanId ?? ''));
    expect(roots.map(({ name }) => name)).toEqual(['invoke_agent main']);
    expect(new Set(started.map((span) => span.spanContext().traceId)).size).toBe(1);
  });

  it('starts spans in these runs, so that the law says something', async () => {
    const { ends } = await played([['streams', 'answers'], ['fails']], { how: 'reads', at: 0 });

    expect(ends.size).toBe(6);
  });
});
