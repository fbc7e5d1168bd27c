import { objectSchema } from '@x/core';
import { memoryWorkspace, scriptedModel } from '@x/core/testing';
import {
  compactionHandler,
  fallbackModelHandler,
  fromMiddleware,
  modelRetryHandler,
  openTelemetryTracer,
  outputFormatHandler,
  Pipeline,
  requestCompaction,
  standardHandlers,
  telemetryHandler,
  toolLoopHandler,
  withTools,
} from '@x/handlers';
import { checkHooks, createHooks, planCut } from '@x/handlers/internal';
import { metricsHandler } from '@x/handlers/metrics';
import type { Row } from './row.ts';
import { aRun, tool } from './values.ts';

const model = scriptedModel([]);
const tracer = () => ({ startSpan: () => undefined, activate: () => (work: () => unknown) => work() });
const hookOptions = () => ({ workspace: memoryWorkspace(), sessionId: 's', permissionMode: () => 'default' });

/** The handlers that are given by value, and what takes handlers. */
const measured = () => ({ add: () => undefined, record: () => undefined });
const silentMeter = { createHistogram: measured, createCounter: measured, createUpDownCounter: measured };

export const handlerRows: readonly Row[] = [
  {
    name: 'handlers: Pipeline',
    act: (handler) => new Pipeline([handler]),
    valid: () => ({ name: 'guard' }),
    keys: ['wrapToolCall', 'wrapInvokableToolCall', 'beforeUserMessage', 'onEvent', 'checkAnswer'].map(
      (name) => `${name}()`,
    ),
    wrong: { name: 7, wrapToolCall: null, wrapModelCall: {}, onEvent: true, beforeAgent: [] },
  },
  {
    name: 'handlers: fromMiddleware',
    act: fromMiddleware,
    valid: () => ({}),
    keys: ['additionalInstruction', 'beforeChatModel', 'wrapToolCall'],
    wrong: { beforeChatModel: {}, wrapToolCall: { invokeable: () => undefined }, additionalInstruction: 7 },
  },
  {
    name: 'handlers: compactionHandler',
    act: compactionHandler,
    valid: () => ({ model: () => model }),
    keys: ['threshold', 'keepShare', 'inside'],
    wrong: { threshold: '0.8', model: 'm' },
  },
  {
    name: 'handlers: fallbackModelHandler',
    act: fallbackModelHandler,
    valid: () => ({ model }),
    keys: ['model', 'on'],
    wrong: { model: class {}, on: ['OVERLOADED'] },
  },
  {
    name: 'handlers: fallbackModelHandler, of a list',
    path: 'fallbackModel[1]',
    act: (options) => fallbackModelHandler([{ model: scriptedModel([]) }, options]),
    valid: () => ({ model }),
    keys: ['model', 'on'],
    wrong: { model: class {}, on: [] },
  },
  {
    name: 'handlers: modelRetryHandler',
    act: modelRetryHandler,
    valid: () => ({}),
    keys: ['maxAttempts', 'budget', 'baseMs'],
    wrong: { maxAttempts: '3' },
  },
  {
    name: 'handlers: openTelemetryTracer',
    act: openTelemetryTracer,
    valid: () => ({}),
    keys: ['provider'],
    wrong: { provider: class {} },
  },
  {
    name: 'handlers: telemetryHandler',
    act: telemetryHandler,
    valid: () => ({ tracer: tracer() }),
    keys: ['recordContent', 'cost'],
    wrong: { tracer: class {}, recordContent: 'yes' },
  },
  {
    name: 'handlers: outputFormatHandler',
    path: 'outputFormat',
    act: outputFormatHandler,
    valid: () => ({ type: 'json_schema', schema: objectSchema({}) }),
    keys: ['schema', 'strict'],
    wrong: { type: 'json', strict: 'yes', schema: class {}, name: 7 },
  },
  {
    name: 'handlers/internal: planCut',
    act: (options) => planCut([], options),
    valid: () => ({ keepTokens: 10 }),
    keys: ['keepTurns', 'pinned'],
  },
  {
    name: 'handlers: requestCompaction',
    act: (wish) => requestCompaction(aRun(), wish),
    valid: () => ({}),
    keys: ['instructions'],
    wrong: { instructions: 7 },
  },
  {
    name: 'handlers: standardHandlers',
    act: standardHandlers,
    valid: () => ({ model: scriptedModel([]) }),
    keys: ['model', 'fallbackModel', 'retryBudgetMs', 'telemetry', 'output', 'handlers', 'guards', 'compaction'],
    wrong: {
      retryBudgetMs: -1,
      fallbackModel: 1,
      telemetry: 1,
      output: 1,
      handlers: 1,
      guards: 1,
      compaction: 1,
      model: 1,
    },
  },
  {
    name: 'handlers/metrics: metricsHandler',
    act: metricsHandler,
    valid: () => ({ meter: silentMeter }),
    keys: ['meter', 'cost'],
    wrong: { meter: { createHistogram: () => undefined }, cost: 1 },
  },
  {
    name: 'handlers: toolLoopHandler',
    act: toolLoopHandler,
    valid: () => ({}),
    keys: ['limit'],
    wrong: { limit: '5' },
  },
  {
    name: 'handlers: withTools',
    act: (options) => withTools(options, tool),
    valid: () => ({ replace: true }),
    keys: ['replace'],
  },
  {
    name: 'handlers/internal: createHooks',
    path: 'hooks',
    act: (config) => createHooks(config, hookOptions()),
    valid: () => ({ PreToolUse: [{ hooks: [async () => ({})] }] }),
    keys: ['PreToolUse', 'Stop', 'SessionStart'],
    wrong: { PreToolUse: {}, Stop: [{ hooks: 'x' }], SessionStart: [{ matchr: 'x', hooks: [] }] },
  },
  {
    name: 'handlers/internal: checkHooks',
    path: 'hooks',
    act: checkHooks,
    valid: () => ({ PreToolUse: [{ hooks: [async () => ({})] }] }),
    keys: ['PreToolUse', 'Stop'],
    wrong: { PreToolUse: [async () => ({})], Stop: [{ hooks: [{ type: 'command' }] }] },
  },
];
