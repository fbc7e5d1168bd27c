import { context, ROOT_CONTEXT, TraceFlags, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { AlwaysOffSampler, BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { collect } from '@x/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { miniRun, spanCollector, treeOf } from '../../test/spans.ts';
import { answering, callOf, configOf, run, tool } from '../../test/values.ts';
import { openTelemetryTracer, undefinedIfMissing } from './open-telemetry-tracer.ts';
import { telemetryHandler } from './telemetry-handler.ts';

afterEach(() => {
  trace.disable();
  context.disable();
});

describe('openTelemetryTracer', () => {
  it('uses the provider that is registered, also when that is later', async () => {
    const tracer = (await openTelemetryTracer())!;
    const before = tracer.startSpan('a', { kind: 0, attributes: {} });

    trace.setGlobalTracerProvider(new BasicTracerProvider());
    const after = tracer.startSpan('b', { kind: 0, attributes: {} });

    expect([before.isRecording(), after.isRecording()]).toEqual([false, true]);
  });

  it('is idle until a provider is registered', async () => {
    const tracer = (await openTelemetryTracer())!;
    const before = tracer.isIdle?.();

    trace.setGlobalTracerProvider(new BasicTracerProvider());

    expect([before, tracer.isIdle?.()]).toEqual([true, false]);
  });

  it('uses the provider it is given', async () => {
    const tracer = (await openTelemetryTracer({ provider: new BasicTracerProvider() }))!;

    expect(tracer.startSpan('a', { kind: 0, attributes: {} }).isRecording()).toBe(true);
  });

  it('starts a span below the one it is told, else below the active one', async () => {
    const collector = await spanCollector();
    const { tracer } = collector;
    const start = { kind: 0 as const, attributes: {} };
    const told = tracer.startSpan('told', start);
    const active = tracer.startSpan('active', start);

    tracer.activate(active)(() => {
      tracer.startSpan('below told', start, told).end();
      tracer.startSpan('below active', start).end();
    });
    told.end();
    active.end();

    expect(treeOf(collector)).toEqual(['told', '  below told', 'active', '  below active']);
    await collector.close();
  });
});

describe('undefinedIfMissing', () => {
  const failing = (code: string) => Promise.reject(Object.assign(new Error('x'), { code }));

  it('is undefined when there is no such package', async () => {
    expect(await failing('ERR_MODULE_NOT_FOUND').catch(undefinedIfMissing)).toBeUndefined();
    expect(await failing('MODULE_NOT_FOUND').catch(undefinedIfMissing)).toBeUndefined();
  });

  it('passes any other failure on', async () => {
    await expect(failing('ERR_OTHER').catch(undefinedIfMissing)).rejects.toThrow('x');
    await expect(Promise.reject(undefined).catch(undefinedIfMissing)).rejects.toBeUndefined();
  });
});

describe('telemetryHandler', () => {
  it('passes calls through untouched while nobody records', async () => {
    const handler = telemetryHandler({ tracer: (await openTelemetryTracer())! });
    const self = run();
    await handler.beforeAgent!(configOf(), self);
    const inner = answering('ok');
    const stream = inner(callOf());

    const passed = handler.wrapToolCall!(callOf(), () => stream, self);

    expect(passed).toBe(stream);
    await handler.runEnded!({ subtype: 'success' }, self);
  });

  it('hands on the decision not to sample, so that what a tool starts is not a trace of its own', async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const tracer = (await openTelemetryTracer({
      provider: new BasicTracerProvider({ sampler: new AlwaysOffSampler() }),
    }))!;
    const flags: (number | undefined)[] = [];
    const looks = tool('looks', {
      execute: async () => void flags.push(trace.getSpanContext(context.active())?.traceFlags),
    });

    await collect(miniRun({ script: [{ toolCalls: [{ name: 'looks' }] }, {}], telemetry: { tracer }, tools: [looks] }));

    expect(context.active()).toBe(ROOT_CONTEXT);
    expect(flags).toEqual([TraceFlags.NONE]);
  });
});
