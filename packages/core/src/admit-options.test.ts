import { describe, expect, it } from 'vitest';
import { admitModelOptions, admitRequest } from './admit-options.ts';
import { defineTool } from './define-tool.ts';
import { objectSchema } from './object-schema.ts';
import { scriptedModel } from './testing/scripted-model.ts';

const taking = scriptedModel([], { name: 'taking', checkOptions: () => undefined });
const echo = defineTool({ name: 'echo', description: 'x', inputSchema: objectSchema({}), execute: async () => 'x' });

describe('admitModelOptions', () => {
  it('refuses all options of a model that cannot say what it takes', () => {
    const model = scriptedModel([], { name: 'mute' });

    expect(() => admitModelOptions(model, { seed: 1 })).toThrow(
      'modelOptions.seed is not taken by mute: this model has no checkOptions; give it one, or leave the option out',
    );
    expect(admitModelOptions(model)).toBeUndefined();
    expect(admitModelOptions(model, {})).toBeUndefined();
  });

  it('asks a model that can', () => {
    const asked: unknown[] = [];
    const model = scriptedModel([], { checkOptions: (options) => void asked.push(options) });

    admitModelOptions(model, { seed: 1 });

    expect(asked).toEqual([{ seed: 1 }]);
  });
});

describe('admitRequest', () => {
  it.each([
    [{ toolChoice: 'required' } as const, 'asks taking for a tool, which is not offered'],
    [{ toolChoice: { tool: 'other' } }, 'asks taking for other, which is not offered'],
  ])('refuses the choice of a tool that is not in the request: %j', (options, message) => {
    const tools = typeof options.toolChoice === 'object' ? [echo] : [];

    expect(() => admitRequest(taking, { options, tools })).toThrow(message);
    expect(() => admitRequest(taking, { options, tools })).toThrow(
      expect.objectContaining({ field: 'modelOptions.toolChoice' }),
    );
  });

  it.each([
    [{ toolChoice: 'required' } as const, [echo]],
    [{ toolChoice: { tool: 'echo' } }, [echo]],
    [{ toolChoice: 'none' } as const, []],
    [{ seed: 1 }, []],
    [undefined, []],
  ])('lets %j pass', (options, tools) => {
    expect(admitRequest(taking, { tools, ...(options ? { options } : {}) })).toBeUndefined();
  });
});
