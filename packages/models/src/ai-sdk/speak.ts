import { AbortError, isAgentError, type ModelRequest } from '@x/core';
import { onAbort, type RateLimits, unlessAborted } from '@x/core/internal';
import { recordOf, textIn } from '../wire/json-values.ts';
import type { Speak } from '../wire/lazy-model.ts';
import { rateLimitsIn } from '../wire/rate-limits.ts';
import { unreadableReply } from '../wire/reply-reader.ts';
import { type CallContext, callError } from './call-error.ts';
import { callOptions } from './call-options.ts';
import { AiSdkReplyReader } from './reply-reader.ts';
import type { AiSdkModel } from './specification.ts';
import type { SpokenModel } from './spoken-model.ts';

/** Talks to a language model of the AI SDK. Stateless towards its callers: sessions share it. */
export function speakAiSdk(spoken: SpokenModel): Speak {
  const { source, provider, apiKey = '' } = spoken;
  return async function* stream(request) {
    if (request.signal.aborted) throw new AbortError();
    const context: CallContext = { provider, apiKey, isAnswered: false };
    // a signal of its own: the model is stopped when the reader leaves, too, and leaves no listener on that of the caller
    const call = new AbortController();
    const release = onAbort(request.signal, () => call.abort());
    const translated = (failure: unknown): never => {
      throw callError(failure, context, request.signal);
    };
    let parts: ReadableStreamDefaultReader<unknown> | undefined;
    try {
      const answer = await opened(spoken, request, call.signal).catch(translated);
      context.limits = limitsIn(answer.response?.headers);
      const coming = (parts = answer.stream.getReader());
      const reader = new AiSdkReplyReader({ model: source.modelId, request, context }, source.provider);
      for (let ended = false; !ended; ) {
        const { done, value } = await unlessAborted(() => coming.read(), call.signal).catch(translated);
        context.isAnswered = true;
        ended = done;
        if (!done) for (const event of reader.read(value)) yield event;
      }
      return reader.message();
    } catch (failure) {
      throw isAgentError(failure) ? failure : unreadableReply(context, failure);
    } finally {
      release();
      call.abort(); // nothing is left to stop when the reply is whole
      void parts?.cancel().catch(() => undefined); // some models pass over the signal; a stream that has failed is closed already
    }
  };
}

/** The reply as it comes. */
async function opened(
  spoken: SpokenModel,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<AiSdkModel['doStream']>>> {
  const { source } = spoken;
  const urls = await unlessAborted(() => source.supportedUrls, signal);
  const options = { ...callOptions(spoken, request, urls), abortSignal: signal };
  return await unlessAborted(() => source.doStream(options as never), signal); // safe: those of its version
}

function limitsIn(headers: unknown): RateLimits | undefined {
  const said = Object.entries(recordOf(headers) ?? {}).map(
    ([name, text]) => [name.toLowerCase(), textIn(text)] as const,
  );
  return rateLimitsIn(said, Date.now());
}
