import { type DataPoint, type Histogram, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { AgentError, type AgentEvent, type AgentHandler, type ModelRequest, type ToolNext } from '@x/core';
import { callWaits } from '@x/core/internal';
import { collect, type Script } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { miniRun } from '../../test/spans.ts';
import { callOf, configOf, progress, run, tool } from '../../test/values.ts';
import { type MetricsOptions, metricsHandler } from './metrics-handler.ts';

/** Gives what has been measured when it is asked. */
class Reader extends MetricReader {
  protected override onShutdown = async () => undefined;
  protected override onForceFlush = async () => undefined;
}

function collector() {
  const reader = new Reader();
  const provider = new MeterProvider({ readers: [reader] });
  return { meter: provider.getMeter('test'), reader };
}

/** A line for each series: name, number of measurements or value, attributes. */
async function seriesOf(reader: Reader): Promise<string[]> {
  const { resourceMetrics } = await reader.collect();
  const all = resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
  return all.flatMap(({ descriptor, dataPoints }) =>
    (dataPoints as DataPoint<number | Histogram>[]).map(({ value, attributes }) => {
      const said = Object.entries(attributes).map(([key, one]) => `${key}=${String(one)}`);
      const amount = typeof value === 'number' ? value : `x${value.count}`;
      return [descriptor.name, amount, ...said.toSorted()].join(' ');
    }),
  );
}

async function measured(script: Script, options: Partial<MetricsOptions> = {}, tools = [tool('looks')]) {
  const { meter, reader } = collector();
  const failure = await collect(miniRun({ script, handlers: [metricsHandler({ meter, ...options })], tools })).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { series: await seriesOf(reader), failure };
}

const usage = { inputTokens: 100, outputTokens: 7 };

function failing(error: unknown): () => AsyncGenerator<AgentEvent, never, void> {
  return async function* () {
    throw error;
  };
}
function refusing(abort: AbortController): ToolNext {
  return async function* () {
    yield progress('a piece');
    abort.abort();
    return { output: 'aborted', isError: true };
  };
}

describe('metricsHandler', () => {
  it('measures runs, model calls, tokens, cost and tool calls', async () => {
    const script: Script = [{ toolCalls: [{ name: 'looks' }, { name: 'invented by the model' }], usage }, { usage }];
    const { series } = await measured(script, { cost: ({ usage: { inputTokens } }) => inputTokens / 100 });

    const model = 'gen_ai.operation.name=chat gen_ai.provider.name=scripted gen_ai.request.model=gpt-x';
    const of = (name: string) => series.filter((line) => line.startsWith(`${name} `));
    expect(of('agent_sdk.runs')).toEqual(['agent_sdk.runs 1 agent_sdk.outcome=success gen_ai.agent.name=main']);
    expect(of('agent_sdk.runs.active')).toEqual(['agent_sdk.runs.active 0 gen_ai.agent.name=main']);
    expect(of('agent_sdk.run.duration')).toHaveLength(1);
    expect(of('gen_ai.client.operation.duration')).toEqual([
      `gen_ai.client.operation.duration x2 gen_ai.agent.name=main ${model} gen_ai.response.model=gpt-x`,
    ]);
    expect(of('gen_ai.client.token.usage').map((line) => line.replace(/.*token\.type/, ''))).toEqual([
      '=input',
      '=output',
    ]);
    expect(of('agent_sdk.cost')[0]).toMatch(/^agent_sdk\.cost 2 /);
    expect(of('agent_sdk.tool.duration').toSorted()).toEqual([
      'agent_sdk.tool.duration x1 error.type=tool_error gen_ai.agent.name=main gen_ai.tool.name=unknown_tool',
      'agent_sdk.tool.duration x1 gen_ai.agent.name=main gen_ai.tool.name=looks',
    ]);
    expect(series.join()).not.toContain('invented');
  });

  it('counts failures by their code', async () => {
    const error = new AgentError('overloaded', { code: 'MODEL_ERROR', statusCode: 503 });
    const { series, failure } = await measured([{ error }]);

    expect(failure).toBe(error);
    expect(series.filter((line) => line.includes('error.type=MODEL_ERROR')).map((line) => line.split(' ')[0])).toEqual([
      'agent_sdk.runs',
      'agent_sdk.run.duration',
      'gen_ai.client.operation.duration',
    ]);
    expect(series.filter((line) => line.startsWith('agent_sdk.runs.active 0'))).toHaveLength(1);
  });

  it('counts a call that its reader has left as aborted', async () => {
    const { meter, reader } = collector();
    const held = tool('holds', {
      async *execute() {
        yield 'a piece';
        await new Promise(() => undefined);
      },
    });
    const events = miniRun({
      script: [{ toolCalls: [{ name: 'holds' }] }],
      handlers: [metricsHandler({ meter })],
      tools: [held],
    });
    for await (const { type } of events) if (type === 'tool_progress') break;

    const series = await seriesOf(reader);
    expect(series.filter((line) => line.includes('aborted'))).toEqual([
      'agent_sdk.runs 1 agent_sdk.outcome=aborted gen_ai.agent.name=main',
      expect.stringMatching(/^agent_sdk\.run\.duration x1 agent_sdk\.outcome=aborted/),
      expect.stringMatching(/^agent_sdk\.tool\.duration x1 error\.type=aborted/),
    ]);
  });

  it('counts a model call that its reader has left as aborted', async () => {
    const { meter, reader } = collector();
    const events = miniRun({ script: [{ text: ['One ', 'two.'] }], handlers: [metricsHandler({ meter })] });
    for await (const { type } of events) if (type === 'content') break;

    expect((await seriesOf(reader)).filter((line) => line.includes('error.type=aborted'))).toEqual([
      expect.stringMatching(/^gen_ai\.client\.operation\.duration x1 error\.type=aborted/),
    ]);
  });

  it('counts a run once, however often it is begun, and one that has failed before it began', async () => {
    const { meter, reader } = collector();
    const handler = metricsHandler({ meter });
    const [begun, never] = [run(), run()];
    for (let attempt = 0; attempt < 2; attempt++) await handler.beforeAgent!(configOf(), begun);
    const during = await seriesOf(reader);

    await handler.runEnded!({ subtype: 'success' }, begun);
    await handler.runEnded!({ subtype: 'error', failure: 'a text' }, never);

    expect(during).toEqual(['agent_sdk.runs.active 1 gen_ai.agent.name=main']);
    expect((await seriesOf(reader)).filter((line) => !line.includes('duration'))).toEqual([
      'agent_sdk.runs 1 agent_sdk.outcome=success gen_ai.agent.name=main',
      'agent_sdk.runs 1 agent_sdk.outcome=error error.type=_OTHER gen_ai.agent.name=main',
      'agent_sdk.runs.active 0 gen_ai.agent.name=main',
    ]);
  });

  it.each<[string, (abort: AbortController) => ToolNext, string]>([
    ['waits for an answer', () => failing(callWaits('c1')), 'agent_sdk.outcome=waiting'],
    ['throws', () => failing(new TypeError('x')), 'error.type=TypeError'],
    ['is aborted', (abort) => refusing(abort), 'error.type=aborted'],
  ])('counts a call that %s', async (_how, next, said) => {
    const { meter, reader } = collector();
    const abort = new AbortController();
    const call = { ...callOf(), signal: abort.signal };

    await Array.fromAsync(metricsHandler({ meter }).wrapToolCall!(call, next(abort), run())).catch(() => undefined);

    const [series] = await seriesOf(reader);
    expect(series?.split(' ')).toEqual(expect.arrayContaining(['agent_sdk.tool.duration', 'x1', said]));
  });

  it('counts a model call that fails because of an abort as aborted, of a model that is not named', async () => {
    const { meter, reader } = collector();
    const signal = AbortSignal.abort();
    const request: ModelRequest = { instruction: '', messages: [], tools: [], signal };

    const stream = metricsHandler({ meter }).wrapModelCall!(request, failing(new TypeError('x')), run());
    await Array.fromAsync(stream).catch(() => undefined);

    expect(await seriesOf(reader)).toEqual([
      'gen_ai.client.operation.duration x1 error.type=aborted gen_ai.agent.name=main gen_ai.operation.name=chat',
    ]);
  });

  it('counts the cost that a model says of its reply', async () => {
    const { meter, reader } = collector();
    const priced: AgentHandler = {
      name: 'priced',
      async *wrapModelCall(request, next) {
        return { ...(yield* next(request)), cost: 0.5 };
      },
    };

    await collect(miniRun({ script: [{}], handlers: [metricsHandler({ meter, cost: () => 7 }), priced] }));

    expect((await seriesOf(reader)).filter((line) => line.startsWith('agent_sdk.cost'))).toEqual([
      expect.stringMatching(/^agent_sdk\.cost 0\.5 /),
    ]);
  });

  it.each([undefined, {}, { meter: {} }, { meter: collector().meter, costs: () => 1 }])('refuses %o', (options) => {
    expect(() => metricsHandler(options as unknown as MetricsOptions)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }) as Error,
    );
  });
});
