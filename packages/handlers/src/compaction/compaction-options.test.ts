import { ValidationError } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { compactionHandler } from './compaction-handler.ts';
import type { CompactionOptions } from './compaction-options.ts';

describe('compactionHandler options', () => {
  const model = () => scriptedModel([]);

  it.each<[string, object]>([
    ['a misspelt name', { model, treshold: 0.5 }],
    ['a threshold above the window', { model, threshold: 80 }],
    ['a share of nothing', { model, keepShare: 0 }],
    ['no turns', { model, keepTurns: 0 }],
    ['no model', {}],
    ['something inside that is no handler', { model, inside: [{}] }],
  ])('refuses %s', (_, options) => {
    // safe: refused is what is looked for
    expect(() => compactionHandler(options as CompactionOptions)).toThrow(ValidationError);
  });
});
