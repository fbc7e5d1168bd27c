import type { Model, ModelStream } from '@x/core';
import { admitRequest } from '@x/core/internal';
import { readsOf } from '../content/readable.ts';
import { contextWindowOf } from '../wire/context-window.ts';
import type { Speak } from '../wire/lazy-model.ts';
import { aiSdkOptions } from './ai-sdk-options.ts';
import type { AiSdkModel, Version } from './specification.ts';
import type { FromAiSdkOptions, SpokenModel } from './spoken-model.ts';
import { fetchable, knownUrls } from './supported-urls.ts';

/** Makes a model of a language model of the AI SDK, whose version was checked. */
export function aiSdkModel(source: AiSdkModel, options: FromAiSdkOptions): Model {
  const name = source.modelId;
  const version = source.specificationVersion as Version; // safe: checked
  const spoken: SpokenModel = { ...options, source, version, provider: `ai-sdk/${source.provider}` };
  const reads = readsOf('ai-sdk', name);
  const urls = knownUrls(source);
  let speak: Speak | undefined;
  async function* stream(request: Parameters<Speak>[0]): ModelStream {
    speak ??= (await import('./speak.ts')).speakAiSdk(spoken);
    return yield* speak(request);
  }
  const model: Model = {
    provider: spoken.provider,
    name,
    contextWindow: options.contextWindow ?? contextWindowOf(name),
    reads: (part) => reads(part) && (urls === undefined || fetchable(part, urls)),
    checkOptions: (asked) => void aiSdkOptions(spoken, asked),
    stream(request) {
      admitRequest(model, request);
      return (speak ?? stream)(request);
    },
  };
  return model;
}
