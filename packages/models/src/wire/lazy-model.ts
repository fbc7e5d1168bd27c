import { AbortError, type Model, type ModelRequest, type ModelStream } from '@x/core';
import { contextWindowOf } from './context-window.ts';
import { modelReads } from './model-reads.ts';
import type { ProviderConfig } from './provider-config.ts';

/** Streams one reply. */
export type Speak = (request: ModelRequest) => ModelStream;

/** Creates a model whose adapter is loaded with its first reply: most programs use only one service. */
export function lazyModel(config: ProviderConfig, name: string, load: () => Promise<Speak>): Model {
  let speak: Speak | undefined;
  let loading: Promise<Speak> | undefined;
  async function* first(request: ModelRequest): ModelStream {
    if (request.signal.aborted) throw new AbortError();
    loading ??= load();
    speak = await loading;
    return yield* speak(request);
  }
  return {
    provider: config.type,
    name,
    contextWindow: contextWindowOf(name),
    reads: modelReads(config, name),
    stream: (request) => (speak ?? first)(request),
  };
}
