import { readFileSync } from 'node:fs';
import type {
  AnthropicConfig,
  AzureOpenAIConfig,
  GeminiConfig,
  OpenAICompatibleConfig,
  ProviderConfig,
} from '@x/models';
import { describe, expect, it } from 'vitest';

/** The file and the title of the test that shows what an option does; an option without one does not compile. */
type ShownBy<Options> = Readonly<Record<keyof Options, readonly [file: string, title: string]>>;

const common: ShownBy<Pick<ProviderConfig, keyof ProviderConfig>> = {
  type: ['every-provider', 'sends to its path, with its key in its header'],
  apiKey: ['every-provider', 'sends to its path, with its key in its header'],
  baseUrl: ['every-provider', 'of %s leads to one place'],
  headers: ['every-provider', 'sends the headers of the host, over its own'],
  extraBody: ['every-provider', 'sends further fields of the host in its body'],
  contextWindow: ['wanted-by-chat-models', 'is what the host says, or follows from the name'],
};
const openai: ShownBy<OpenAICompatibleConfig> = {
  ...common,
  api: ['every-provider', 'sends to its path, with its key in its header'],
  structuredOutput: ['../src/openai-chat/final-tool', 'gives any model the tool, or none'],
};
const anthropic: ShownBy<AnthropicConfig> = common;
const gemini: ShownBy<GeminiConfig> = common;
const azure: ShownBy<AzureOpenAIConfig> = {
  ...common,
  api: ['every-provider', 'sends to its path, with its key in its header'],
  apiVersion: ['every-provider', 'sends to its path, with its key in its header'],
};

describe.each(Object.entries({ openai, anthropic, gemini, azure }))('the options of %s', (_, options) => {
  it.each(Object.entries(options))('%s has a test that shows what it does', (_option, [file, title]) => {
    const text = readFileSync(new URL(`${file}.test.ts`, import.meta.url), 'utf8');

    expect(text).toContain(title);
  });
});
