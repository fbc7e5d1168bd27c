import { readFileSync } from 'node:fs';
import type { ProviderConfig } from '@x/models';

/** One way to speak to models, with streams in its format. */
export interface Provider {
  /** As the column of the table names it. */
  readonly name: string;
  readonly config: (url: string) => ProviderConfig;
  readonly model: string;
  /** A model that has no mode of its own for answers of a given form. */
  readonly modelWithoutFormat: string;
  /** A stream by what it shows; the names are the same for every provider. */
  readonly stream: (name: string) => string;
}

const apiKey = 'key-4711';
const azure = streamsIn('azure-openai');
const chat = streamsIn('openai-chat', {
  thinking: 'reasoning',
  'thinking-and-call': 'reasoning-call',
  cached: 'text',
  'cache-written': 'thinking-blocks',
  structured: 'text',
});

export const PROVIDERS: readonly Provider[] = [
  {
    name: 'chat',
    config: (url) => ({ type: 'openai-compatible', apiKey, baseUrl: `${url}/v1` }),
    model: 'some-model',
    modelWithoutFormat: 'deepseek-chat',
    stream: chat,
  },
  {
    name: 'responses',
    config: (url) => ({ type: 'openai-compatible', apiKey, baseUrl: `${url}/v1`, api: 'responses' }),
    model: 'gpt-5',
    modelWithoutFormat: 'gpt-5',
    stream: streamsIn('openai-responses', {
      thinking: 'reasoning',
      'thinking-and-call': 'reasoning-with-call',
      cached: 'cache-usage',
    }),
  },
  {
    name: 'azure-openai',
    config: (url) => ({ type: 'azure-openai', apiKey, baseUrl: url, apiVersion: '2024-10-21' }),
    model: 'my-deployment',
    modelWithoutFormat: 'my-deployment',
    stream: (name) => (['text', 'call', 'parallel-calls', 'length', 'refusal'].includes(name) ? azure : chat)(name),
  },
  {
    name: 'anthropic',
    config: (url) => ({ type: 'anthropic', apiKey, baseUrl: url }),
    model: 'claude-sonnet-4-5',
    modelWithoutFormat: 'claude-3-haiku-20240307',
    stream: streamsIn('anthropic', {
      'thinking-and-call': 'interleaved-thinking',
      cached: 'cache-usage',
      'cache-written': 'cache-usage',
      'error-in-stream': 'error-event',
      'final-tool': 'structured-by-tool',
    }),
  },
  {
    name: 'gemini',
    config: (url) => ({ type: 'gemini', apiKey, baseUrl: url }),
    model: 'gemini-3-pro-preview',
    modelWithoutFormat: 'gemini-2.5-flash',
    stream: streamsIn('gemini', { thinking: 'thoughts', 'thinking-and-call': 'call' }),
  },
];

function streamsIn(folder: string, otherNames: Readonly<Record<string, string>> = {}): (name: string) => string {
  return (name) => readFileSync(new URL(`../wire/${folder}/${otherNames[name] ?? name}.sse`, import.meta.url), 'utf8');
}
