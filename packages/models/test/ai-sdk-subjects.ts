import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAI as createOpenAI2 } from '@ai-sdk/openai-v2';
import { createOpenAI as createOpenAI3 } from '@ai-sdk/openai-v3';
import type { Model } from '@x/core';
import { type AiSdkModel, fromAiSdk } from '../src/ai-sdk/index.ts';

/** A service, and the key for it. */
interface Service {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly fetch: typeof fetch;
}

/** Follows no redirect, which would take the key elsewhere; the default of the AI SDK does. */
const straight: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'error' });

/** Models of real providers of the AI SDK, of the three versions that are spoken, at an address. */
export const AI_SDK_MODELS = {
  'openai chat': (url, apiKey) => createOpenAI(service(`${url}/v1`, apiKey)).chat('gpt-4o-mini'),
  'openai responses': (url, apiKey) => createOpenAI(service(`${url}/v1`, apiKey)).responses('gpt-5-mini'),
  anthropic: (url, apiKey) => createAnthropic(service(`${url}/v1`, apiKey))('claude-opus-5-5'),
  google: (url, apiKey) => createGoogleGenerativeAI(service(`${url}/v1beta`, apiKey))('gemini-2.5-flash'),
  'openai chat, version 3': (url, apiKey) => createOpenAI3(service(`${url}/v1`, apiKey)).chat('gpt-4o-mini'),
  'openai chat, version 2': (url, apiKey) => createOpenAI2(service(`${url}/v1`, apiKey)).chat('gpt-4o-mini'),
} as const satisfies Readonly<Record<string, (url: string, apiKey: string) => AiSdkModel>>;

/** One of them as a model of ours. */
export function aiSdkModelAt(name: keyof typeof AI_SDK_MODELS, url: string, apiKey = 'k'): Model {
  const source = AI_SDK_MODELS[name](url, apiKey);
  return fromAiSdk(source, { apiKey }).createModel(source.modelId);
}

function service(baseURL: string, apiKey: string): Service {
  return { baseURL, apiKey, fetch: straight };
}
