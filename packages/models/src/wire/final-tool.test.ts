import type { JsonSchema } from '@x/core';
import { describe, expect, it } from 'vitest';
import { echo } from '../../test/features/exchange.ts';
import { finalToolFor } from './final-tool.ts';

const object = { type: 'object', properties: { answer: { type: 'number' } } };
const toolFor = (schema: JsonSchema, name = 'answer', taken: readonly string[] = []) =>
  finalToolFor(
    { name, schema, strict: true },
    taken.map((one) => ({ ...echo, name: one })),
  );

describe('finalToolFor', () => {
  it('takes the schema of an object as it is', () => {
    expect(toolFor(object)).toEqual({ name: 'answer', inputSchema: object, wrapped: false });
  });

  it.each<JsonSchema>([
    { type: 'array', items: { type: 'number' } },
    { anyOf: [object, { type: 'null' }] },
    { type: 'object', oneOf: [object] },
  ])('wraps %j, which cannot be the input of a tool', (schema) => {
    expect(toolFor(schema)).toMatchObject({
      inputSchema: { type: 'object', properties: { value: schema }, required: ['value'] },
      wrapped: true,
    });
  });

  it('keeps definitions where references look for them', () => {
    const $defs = { one: object };

    expect(toolFor({ $ref: '#/$defs/one', $defs }).inputSchema).toEqual({
      type: 'object',
      properties: { value: { $ref: '#/$defs/one' } },
      required: ['value'],
      additionalProperties: false,
      $defs,
    });
  });

  it.each([
    ['answer', ['echo'], 'answer'],
    ['answer', ['answer', 'answer_'], 'answer__'],
    ['my answer', [], 'my_answer'],
    ['', [], 'output'],
    ['n'.repeat(80), ['n'.repeat(64)], `${'n'.repeat(63)}_`],
  ])('has a name for %j beside %j that services take', (wanted, taken, name) => {
    expect(toolFor(object, wanted, taken).name).toBe(name);
  });
});
