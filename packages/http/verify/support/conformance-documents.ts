import type { McpServedPrompt, McpServedResource } from '@x/mcp/server';
import { PIXEL } from './conformance-tools.ts';

/** The resources that the scenarios of the conformance suite ask for. */
export const conformanceResources: readonly McpServedResource[] = [
  {
    uri: 'test://static-text',
    name: 'A text',
    description: 'Always the same text',
    mimeType: 'text/plain',
    read: () => 'This is the content of the static text resource.',
  },
  {
    uri: 'test://static-binary',
    name: 'An image',
    description: 'Always the same image',
    mimeType: 'image/png',
    read: () => Buffer.from(PIXEL, 'base64'),
  },
];

/** The prompts that they ask for. */
export const conformancePrompts: readonly McpServedPrompt[] = [
  { name: 'test_simple_prompt', description: 'A text', get: () => 'This is a simple prompt for testing.' },
  {
    name: 'test_prompt_with_arguments',
    description: 'Takes two arguments',
    arguments: [
      { name: 'arg1', description: 'The first', required: true },
      { name: 'arg2', description: 'The second', required: true },
    ],
    get: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'Embeds a resource',
    arguments: [{ name: 'resourceUri', description: 'Which', required: true }],
    get: ({ resourceUri = '' }) => [
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        },
      },
      { role: 'user', content: { type: 'text', text: 'Please process the embedded resource above.' } },
    ],
  },
  {
    name: 'test_prompt_with_image',
    description: 'Holds an image',
    get: () => [
      { role: 'user', content: { type: 'image', data: PIXEL, mimeType: 'image/png' } },
      { role: 'user', content: { type: 'text', text: 'Please analyze the image above.' } },
    ],
  },
];
