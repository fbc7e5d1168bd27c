import { setTimeout as sleep } from 'node:timers/promises';
import { ToolRegistry } from '@x/registry';

export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const SOUND = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const image = { type: 'image', data: PIXEL, mimeType: 'image/png' };

/** The tools that the scenarios of the conformance suite ask for, by their names. */
export function conformanceTools(): ToolRegistry {
  const registry = new ToolRegistry({ namePattern: /^[a-z][a-z0-9_]*$/ });
  const tool = (name: string, run: Parameters<ToolRegistry['register']>[1]) =>
    registry.register({ name, description: `Is asked for by the scenario of ${name}`, parameters: [] }, run);

  tool('test_simple_text', async () => 'This is a simple text response for testing.');
  tool('test_image_content', async () => [image]);
  tool('test_audio_content', async () => [{ type: 'audio', data: SOUND, mimeType: 'audio/wav' }]);
  tool('test_embedded_resource', async () => [
    {
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    },
  ]);
  tool('test_multiple_content_types', async () => [
    { type: 'text', text: 'Multiple content types test:' },
    image,
    {
      type: 'resource',
      resource: { uri: 'test://mixed', mimeType: 'application/json', text: '{"test":"data","value":123}' },
    },
  ]);
  tool('test_error_handling', async () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  tool('test_tool_with_progress', async (_, context) => {
    for (const part of ['0 of 100', '50 of 100', '100 of 100']) {
      context?.onProgress?.(part);
      await sleep(50);
    }
    return 'done';
  });
  tool('test_tool_with_logging', async (_, context) => {
    for (const part of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      context?.onProgress?.(part);
      await sleep(50);
    }
    return 'done';
  });
  registry.add({
    name: 'json_schema_2020_12_tool',
    description: 'Tool with JSON Schema 2020-12 features',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
      },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    },
    execute: async (input) => input,
  });
  return registry;
}
