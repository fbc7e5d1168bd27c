import { AbortError, type Model, type ModelRequest, type ModelStream } from '@x/core';
import { admitRequest } from '@x/core/internal';
import { contextWindowOf } from './context-window.ts';
import { modelReads } from './model-reads.ts';
import { checkOptionFields, type OptionFields } from './option-fields.ts';
import type { ProviderConfig } from './provider-config.ts';

/** Streams one reply. */
export type Speak = (request: ModelRequest) => ModelStream;
/** Counts the tokens of a request. */
export type Count = (request: ModelRequest) => Promise<number>;

interface LazyParts {
  readonly options: OptionFields;
  readonly load: () => Promise<Speak>;
  /** Of a service that counts tokens. */
  readonly loadCount?: (() => Promise<Count>) | undefined;
  /** Default false. */
  readonly defersTools?: boolean;
  /** Default false. */
  readonly usesComputer?: boolean;
}

/** Creates a model whose adapter is loaded with its first reply: most programs use only one service. */
export function lazyModel(
  config: ProviderConfig,
  name: string,
  { options, load, loadCount, defersTools = false, usesComputer = false }: LazyParts,
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
  let count: Promise<Count> | undefined;
  const counted = loadCount && {
    async countTokens(request: ModelRequest): Promise<number> {
      admitRequest(model, request);
      count ??= loadCount();
      return await (await count)(request);
    },
  };
  const model: Model = {
    provider: type,
    name,
    contextWindow: contextWindow ?? contextWindowOf(name),
    reads: modelReads(config, name),
    ...(defersTools ? { defersTools } : {}),
    ...(usesComputer ? { usesComputer } : {}),
    checkOptions: (asked) => checkOptionFields(asked, options, extraBody),
    ...counted,
    stream(request) {
      admitRequest(model, request);
      return (speak ?? first)(request);
    },
  };
  return model;
}
