import { describe, expect, it } from 'vitest';
import { type ModelOptions, ownModelOptions, withModelOptions } from './model-options.ts';

describe('ownModelOptions', () => {
  it('copies and freezes what was given, without what is undefined', () => {
    const given = { seed: 1, temperature: undefined, stopSequences: ['a'], reasoning: { effort: 'low' } };

    const own = ownModelOptions(given as unknown as ModelOptions);
    given.stopSequences.push('b');

    expect(own).toEqual({ seed: 1, stopSequences: ['a'], reasoning: { effort: 'low' } });
    expect(Object.isFrozen(own.stopSequences)).toBe(true);
    expect(own).not.toHaveProperty('temperature');
  });

  it.each<[string, unknown, string]>([
    ['modelOptions', 7, 'must be an object such as'],
    ['modelOptions.temprature', { temprature: 1 }, 'did you mean temperature'],
    ['modelOptions.maxOutputTokens', { maxOutputTokens: 0 }, 'a whole number from 1'],
    ['modelOptions.temperature', { temperature: 2.1 }, 'a number from 0 to 2'],
    ['modelOptions.temperature', { temperature: Number.NaN }, 'a number from 0 to 2'],
    ['modelOptions.topP', { topP: '1' }, 'a number from 0 to 1'],
    ['modelOptions.stopSequences', { stopSequences: [] }, 'a list of texts that are not empty'],
    ['modelOptions.stopSequences[1]', { stopSequences: ['a', ''] }, 'a text that is not empty'],
    ['modelOptions.seed', { seed: 1.5 }, 'a whole number'],
    ['modelOptions.reasoning', { reasoning: 'high' }, "'off', { effort } or { budgetTokens }"],
    ['modelOptions.reasoning.effort', { reasoning: { effort: 'most' } }, 'one of minimal, low'],
    ['modelOptions.reasoning.effort', { reasoning: {} }, 'one of minimal, low'],
    ['modelOptions.reasoning.effort', { reasoning: { budgetTokens: 1, effort: 'low' } }, 'unknown effort'],
    ['modelOptions.reasoning.budgetTokens', { reasoning: { budgetTokens: 0 } }, 'a whole number from 1'],
    ['modelOptions.toolChoice', { toolChoice: 'any' }, 'auto, required, none or { tool }'],
    ['modelOptions.toolChoice.tool', { toolChoice: { tool: ' ' } }, 'not blank'],
    ['modelOptions.parallelToolCalls', { parallelToolCalls: 1 }, 'true or false'],
    ['modelOptions.serviceTier', { serviceTier: 'default' }, 'one of auto, standard, flex, priority'],
    ['modelOptions.logprobs', { logprobs: false }, 'true, or a whole number from 1 to 20'],
    ['modelOptions.logprobs', { logprobs: 0 }, 'true, or a whole number from 1 to 20'],
    ['modelOptions.logprobs', { logprobs: 21 }, 'true, or a whole number from 1 to 20'],
    ['modelOptions.cache.ttl', { cache: { ttl: '2h' } }, 'one of 5m, 30m, 1h, 24h'],
  ])('refuses %s of %j', (field, options, message) => {
    expect(() => ownModelOptions(options as ModelOptions)).toThrow(expect.objectContaining({ field }));
    expect(() => ownModelOptions(options as ModelOptions)).toThrow(message);
  });
});

describe('withModelOptions', () => {
  it('lets the later ones win, each by itself', () => {
    expect(withModelOptions({ seed: 1, topP: 1 }, { seed: 2 })).toEqual({ seed: 2, topP: 1 });
  });
});
