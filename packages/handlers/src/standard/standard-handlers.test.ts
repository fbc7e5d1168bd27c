import { objectSchema } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { outputFormatHandler } from '../output-format/output-format-handler.ts';
import { openTelemetryTracer } from '../telemetry/open-telemetry-tracer.ts';
import { standardHandlers } from './standard-handlers.ts';

const model = scriptedModel([]);
const namesOf = (given: { readonly handlers: readonly { readonly name: string }[] }) =>
  given.handlers.map(({ name }) => name);

describe('standardHandlers', () => {
  it('gives the handlers that every agent needs', () => {
    expect(namesOf(standardHandlers({ model }))).toEqual(['tool-loop', 'compaction', 'model-retry']);
  });

  it('puts yours between what shows and what judges, and the model behind all', async () => {
    const all = standardHandlers({
      model,
      fallbackModel: scriptedModel([]),
      telemetry: { tracer: (await openTelemetryTracer())! },
      output: outputFormatHandler({ type: 'json_schema', schema: objectSchema({}) }),
      handlers: [{ name: 'mine' }],
      guards: [{ name: 'judge' }],
    });

    expect(namesOf(all)).toEqual([
      'output-format',
      'telemetry',
      'tool-loop',
      'mine',
      'judge',
      'compaction',
      'fallback-model',
      'model-retry',
    ]);
  });

  it('asks for the model each time it is one of the run', () => {
    const asked: unknown[] = [];
    const { compaction } = standardHandlers({ model: (run) => (asked.push(run), model), compaction: { keepTurns: 1 } });

    expect(compaction.model('a run' as never)).toBe(model);
    expect(asked).toEqual(['a run']);
    expect(compaction.keepTurns).toBe(1);
    expect(compaction.inside?.map(({ name }) => name)).toEqual(['model-retry']);
  });

  it.each([
    [{ model, handler: [] }, 'did you mean handlers?'],
    [{ model, retryBudgetMs: -1 }, 'retryBudgetMs'],
    [{ model, fallbackModel: {} }, 'fallbackModel must be a Model'],
    [{ model, compaction: { keepTurn: 1 } }, 'did you mean keepTurns?'],
  ])('refuses %o', (options, reason) => {
    expect(() => standardHandlers(options as never)).toThrow(reason);
  });
});
