import { defineTool, standardSchema, type Tool } from '@x/core';
import { createMcpHub } from '@x/mcp';
import { functionTool, metadataTool } from '@x/registry';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { plainServer } from '../../../mcp/test/support/plain-server.ts';

const city = { type: 'string', minLength: 2 } as const;
const days = { type: 'number', minimum: 1, maximum: 14 } as const;
const schema = { type: 'object', properties: { city, days }, required: ['city'], additionalProperties: false } as const;
const [name, description] = ['weather', 'The weather.'];
const execute = async () => '';
const ofMini = mini.strictObject({
  city: mini.string().check(mini.minLength(2)),
  days: mini.optional(mini.number().check(mini.minimum(1), mini.maximum(14))),
});

/** One tool, declared in each form. */
const FORMS: Readonly<Record<string, Tool>> = {
  parameters: metadataTool(
    {
      name,
      description,
      category: 'other',
      parameters: [
        { name: 'city', type: 'string', description: 'd', required: true, pattern: '..' },
        { name: 'days', type: 'number', description: 'd', minimum: 1, maximum: 14 },
      ],
    } as never,
    async () => '',
  ),
  'a function definition': functionTool(
    { type: 'function', function: { name, description, parameters: schema } },
    execute,
  ),
  'JSON Schema': defineTool({ name, description, inputSchema: schema, execute }),
  zod: defineTool({
    name,
    description,
    inputSchema: z.object({ city: z.string().min(2), days: z.number().min(1).max(14).optional() }),
    execute,
  }),
  'a Standard Schema': defineTool({
    name,
    description,
    inputSchema: standardSchema(ofMini, mini.toJSONSchema(ofMini) as never),
    execute,
  }),
};

/** The same as a tool of a server. */
async function ofServer(): Promise<Tool> {
  const instance = plainServer({ tools: [{ name, description, inputSchema: schema }] });
  const hub = createMcpHub({ servers: { own: { type: 'sdk', instance } } });
  onTestFinished(() => hub.close());
  await hub.ready();
  return hub.tools().find((tool) => tool.name === `mcp__own__${name}`)!;
}

it.each<[unknown, boolean]>([
  [{ city: 'Oslo' }, true],
  [{ city: 'Oslo', days: 14 }, true],
  [{ city: 'Oslo', days: 1.5 }, true],
  [{}, false],
  [{ city: 'O' }, false],
  [{ city: 7 }, false],
  [{ city: null }, false],
  [{ city: 'Oslo', days: 0 }, false],
  [{ city: 'Oslo', days: '3' }, false],
  [{ city: 'Oslo', days: Number.NaN }, false],
  [{ city: 'Oslo', other: 1 }, false],
  [['Oslo'], false],
  ['Oslo', false],
  [null, false],
])('Q26: %j is accepted or refused whichever form declared the tool', async (input, isAccepted) => {
  const verdict = ({ inputSchema }: Tool) => {
    try {
      return { value: inputSchema.parse(input) };
    } catch (error) {
      return { code: (error as { readonly code?: string }).code };
    }
  };
  const tools = { ...FORMS, 'an MCP tool': await ofServer() };

  const verdicts = Object.entries(tools).map(([form, tool]) => [form, verdict(tool)]);

  const same = isAccepted ? { value: input } : { code: 'VALIDATION_ERROR' };
  expect(verdicts).toEqual(Object.keys(tools).map((form) => [form, same]));
});
