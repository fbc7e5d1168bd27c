import { describe, expect, it } from 'vitest';
import { ToolRegistry } from './tool-registry.ts';

const parameters = [
  { name: 'city', type: 'string', description: 'Where.', required: true },
  { name: 'days', type: 'number', description: 'How many.' },
] as const;
const registered = (...examples: Readonly<Record<string, unknown>>[]) => {
  const registry = new ToolRegistry();
  const shown = examples.map((given) => ({ description: 'One.', parameters: given }));
  registry.register({ name: 'weather', description: 'Tells.', parameters, examples: shown }, async () => 'sun');
  return registry;
};

describe('the examples of a tool', () => {
  it.each([
    [{ city: 7 }, 'examples[0] does not fit the parameters: '],
    [{ days: 1 }, 'examples[0] does not fit the parameters: Required parameter missing: city'],
    [{ city: 'Rome', day: 1 }, 'examples[0] does not fit the parameters: '],
  ])('are refused when the tool would refuse them: %j', (example, message) => {
    expect(() => registered(example)).toThrow(expect.objectContaining({ field: 'examples' }));
    expect(() => registered(example)).toThrow(message);
  });

  it('reach whoever is shown the tool, as `examples` of its JSON Schema', () => {
    const examples = [{ city: 'Rome' }, { city: 'Oslo', days: 2 }];
    const registry = registered(...examples);

    expect(registry.functionDefinitions()[0]!.function.parameters).toMatchObject({ examples });
    expect(registry.mcpTools()[0]!.inputSchema).toMatchObject({ examples });
    expect(registry.tools()[0]!.inputSchema.json).toMatchObject({ examples });
  });

  it('are absent from the schema of a tool without any', () => {
    expect(registered().functionDefinitions()[0]!.function.parameters).not.toHaveProperty('examples');
  });
});
