import { AbortError, type Model, type ModelRequest, type ModelStream } from '@x/core';
import { admitRequest } from '@x/core/internal';
import { contextWindowOf } from './context-window.ts';
import { modelReads } from './model-reads.ts';
import { checkOptionFields, type OptionFields } from './option-fields.ts';
import type { ProviderConfig } from './provider-config.ts';

/** Streams one reply. */
export type Speak = (request: ModelRequest) => ModelStream;

interface LazyModelOptions {
  readonly options: OptionFields;
  readonly load: () => Promise<Speak>;
  /** Default false. */
  readonly defersTools?: boolean;
}

/** Creates a model whose adapter is loaded with its first reply: most programs use only one service. */
export function lazyModel(
  config: ProviderConfig,
  name: string,
  { options, load, defersTools = false }: LazyModelOptions,
): Model {
  const { type, extraBody, contextWindow } = config;
  let speak: Speak | undefined;
  let loading: Promise<Speak> | undefined;
  async function* first(request: ModelRequest): ModelStream {
    if (request.signal.aborted) throw new AbortError();
    loading ??= load();
    speak = await loading;
    return yield* speak(request);
  }
  const model: Model = {
    provider: type,
    name,
    contextWindow: contextWindow ?? contextWindowOf(name),
    reads: modelReads(config, name),
    ...(defersTools ? { defersTools } : {}),
    checkOptions: (asked) => checkOptionFields(asked, options, extraBody),
    stream(request) {
      admitRequest(model, request);
      return (speak ?? first)(request);
    },
  };
  return model;
}
