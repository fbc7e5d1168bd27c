import { defineTool } from '@x/core';
import { describe, expect, it } from 'vitest';
import { ToolRegistry } from './tool-registry.ts';

describe('the progress of a call', () => {
  it('is what an implementation passes on, also through an invoke that passes on nothing', async () => {
    const registry = new ToolRegistry({ invoke: (implementation, input) => implementation(input) });
    registry.register({ name: 'steps', description: 'Has steps', parameters: [] }, async (_, context) => {
      context?.onProgress?.('one');
      context?.onProgress?.('two');
      return 'done';
    });
    const seen: string[] = [];

    expect(await registry.execute('steps', {}, { onProgress: (text) => seen.push(text) })).toBe('done');
    expect(seen).toEqual(['one', 'two']);
    expect(await registry.execute('steps', {})).toBe('done');
    expect(seen).toHaveLength(2);
  });

  it('is what an added tool yields while it runs', async () => {
    const registry = new ToolRegistry();
    registry.add(
      defineTool({
        name: 'streams',
        description: 'Streams',
        inputSchema: { type: 'object' },
        streaming: true,
        async *execute() {
          yield 'first ';
          yield 'second';
          return 'done';
        },
      }),
    );
    const seen: string[] = [];

    const value = await registry.execute('streams', {}, { onProgress: (text) => seen.push(text) });

    expect(seen).toEqual(['first ', 'second']);
    expect(await registry.execute('streams', {})).toEqual(value);
  });

  it('goes to a function', async () => {
    await expect(new ToolRegistry().execute('x', {}, { onProgress: 'log' } as never)).rejects.toThrow('onProgress');
  });
});

describe('a result in the form of MCP', () => {
  const resource = { uri: 'test://a', mimeType: 'text/plain', text: 'a' };

  it.each([
    [[{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }]],
    [
      [
        { type: 'text', text: 'and' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ],
    ],
    [[{ type: 'resource', resource }]],
    [[{ type: 'resource_link', uri: 'test://a', name: 'a' }]],
  ])('%j is taken as it is', async (content) => {
    expect(await called(content)).toEqual({ content });
  });

  it.each([
    [[{ type: 'audio', data: 'AAAA' }]],
    [[{ type: 'resource', resource: 'test://a' }]],
    [[{ type: 'resource', resource: {} }]],
    [[{ type: 'other' }, { type: 'audio', data: '', mimeType: '' }]],
    [[{ type: 7 }]],
    [[{ type: 'toString' }]],
    [['text']],
    [[]],
  ])('%j is a list like any other', async (value) => {
    expect(await called(value)).toEqual({ content: [{ type: 'text', text: JSON.stringify(value) }] });
  });

  async function called(value: unknown): Promise<unknown> {
    const registry = new ToolRegistry();
    registry.register({ name: 'gives', description: 'Gives', parameters: [] }, async () => value);
    return await registry.callMcpTool({ name: 'gives' });
  }
});
