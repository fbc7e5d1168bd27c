import type { ModelRequest } from '@x/core';
import { describe, expect, it } from 'vitest';
import { finalToolOf } from './final-tool.ts';

type Format = NonNullable<ModelRequest['outputFormat']>;

const simple: Format = {
  name: 'answer',
  schema: { type: 'object', properties: { a: { type: 'string' } } },
  strict: false,
};
const odd: Format = {
  name: 'answer',
  schema: { type: 'object', patternProperties: { '^a': {} }, not: {} },
  strict: false,
};
const [own, without] = ['claude-sonnet-4-5', 'claude-3-haiku-20240307'];

describe('finalToolOf', () => {
  it('is a tool only where the mode of the model cannot say the schema, and never for a strict one', () => {
    const isTool = (outputFormat: Format | undefined, model: string) =>
      finalToolOf({ ...(outputFormat ? { outputFormat } : {}), tools: [] }, model) !== undefined;

    expect([isTool(undefined, own), isTool(simple, own), isTool(simple, own), isTool(simple, without)]).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect([isTool(odd, own), isTool(odd, own), isTool({ ...odd, strict: true }, own)]).toEqual([true, true, false]);
  });
});
