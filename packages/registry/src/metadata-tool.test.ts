import { defineTool, type Tool, type ToolContext, ValidationError } from '@x/core';
import { isTool } from '@x/core/internal';
import { collect } from '@x/core/testing';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { ToolImplementation, ToolMetadata } from './metadata.ts';
import { metadataTool, toMetadata } from './metadata-tool.ts';

const metadata: ToolMetadata = {
  name: 'greet',
  description: 'Greets',
  parameters: [{ name: 'who', type: 'string', description: 'whom', required: true }],
};
const context = (): ToolContext => ({ callId: 'c', signal: new AbortController().signal }) as ToolContext; // the tools below read no more

describe('metadataTool', () => {
  it('makes a tool that parses by the metadata and runs the implementation with the signal', async () => {
    const implementation = vi.fn<ToolImplementation>(async ({ who }) => `Hello, ${who}`);
    const given = context();
    const tool = metadataTool(metadata, implementation);

    const { value } = await collect(tool.execute(tool.inputSchema.parse({ who: 'Ada' }), given));

    expect(isTool(tool as Tool)).toBe(true);
    expect(value).toEqual({ output: 'Hello, Ada', isError: false });
    expect(implementation).toHaveBeenCalledExactlyOnceWith({ who: 'Ada' }, { signal: given.signal });
    expect(() => tool.inputSchema.parse({})).toThrow('Required parameter missing: who');
  });

  it('is careful by default, and takes kind, effect and parallelSafe', () => {
    expect(metadataTool(metadata, async () => 1)).toMatchObject({
      kind: 'execute',
      effect: 'non_idempotent',
      parallelSafe: false,
    });
    expect(metadataTool(metadata, async () => 1, { kind: 'readonly' })).toMatchObject({
      effect: 'pure',
      parallelSafe: true,
    });
    expect(metadataTool(metadata, async () => 1, { effect: 'idempotent', parallelSafe: true })).toMatchObject({
      effect: 'idempotent',
      parallelSafe: true,
    });
  });

  it.each<[unknown, unknown, unknown]>([
    [undefined, async () => 1, {}],
    [{ ...metadata, name: 'a b' }, async () => 1, {}],
    [{ ...metadata, description: ' ' }, async () => 1, {}],
    [{ ...metadata, unknown: 1 }, async () => 1, {}],
    [metadata, 'x', {}],
    [metadata, async () => 1, { timeout: 5 }],
  ])('refuses what does not fit: %#', (given, implementation, options) => {
    expect(() => metadataTool(given as never, implementation as never, options as never)).toThrow(ValidationError);
  });

  it('turns an implementation that throws at once into a rejection', async () => {
    const throws = (): never => {
      throw new Error('at once');
    };
    const tool = metadataTool(metadata, throws);

    await expect(collect(tool.execute({ who: '' }, context()))).rejects.toThrow('at once');
  });
});

describe('toMetadata', () => {
  it('gives back what metadataTool was given', () => {
    expect(toMetadata(metadataTool(metadata, async () => 1) as Tool)).toEqual(metadata);
  });

  it('describes a zod tool', () => {
    const inputSchema = z.object({ path: z.string().describe('where'), depth: z.number().max(9).optional() });
    const tool = defineTool({ name: 'Walk', description: 'Walks', inputSchema, execute: async () => '' });

    expect(toMetadata(tool as Tool)).toEqual({
      name: 'Walk',
      description: 'Walks',
      parameters: [
        { name: 'path', type: 'string', description: 'where', required: true },
        { name: 'depth', type: 'number', description: '', maximum: 9 },
      ],
    });
  });
});
