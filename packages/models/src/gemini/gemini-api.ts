import { ValidationError } from '@x/core';
import { messageOf } from '@x/core/internal';
import type { WithAccess } from '../wire/access.ts';
import { countOver } from '../wire/count-over.ts';
import type { BuiltRequest } from '../wire/endpoint.ts';
import type { Count, Speak } from '../wire/lazy-model.ts';
import type { GeminiConfig } from '../wire/provider-config.ts';
import { speakOver, type WireApi } from '../wire/speak-over.ts';
import { GeminiReplyReader } from './from-stream.ts';
import { geminiClient } from './gemini-client.ts';
import { geminiFormat } from './to-request.ts';

/** Talks to the Gemini API. */
export function geminiApi(config: GeminiConfig, name: string): Speak {
  return speakOver({ ...wireParts(config, name), reader: (facts) => new GeminiReplyReader(facts) });
}

/** Counts tokens with the Gemini API; everything but the contents counts only inside of a whole request (ai.google.dev, `countTokens`). */
export function geminiCount(config: GeminiConfig, name: string): Count {
  const model = name.includes('/') ? name : `models/${name}`;
  return countOver({
    ...wireParts(config, name),
    countPath(path) {
      const { pathname, searchParams } = new URL(path, 'http://service');
      searchParams.delete('alt'); // of event streams
      const query = searchParams.size > 0 ? `?${searchParams.toString()}` : '';
      return pathname.replace(/:streamGenerateContent$/, ':countTokens') + query;
    },
    countBody: (body) => ({ generateContentRequest: { model, ...body } }),
    field: 'totalTokens',
  });
}

function wireParts(config: GeminiConfig, name: string): Pick<WireApi, 'config' | 'name' | 'format' | 'build'> {
  return {
    config,
    name,
    format: geminiFormat(name, config.extraBody),
    build: (access) => builtRequest({ ...config, ...access }, name),
  };
}

/** Captures the client's request for a streamed reply without sending it. */
async function builtRequest(config: WithAccess<GeminiConfig>, name: string): Promise<BuiltRequest> {
  let built: BuiltRequest | undefined;
  const client = await geminiClient(config, async (url, init) => {
    built = { url: new Request(url).url, headers: init?.headers };
    return new Response('', { headers: { 'content-type': 'text/event-stream' } });
  });
  try {
    await client.models.generateContentStream({ model: name, contents: 'Hello' });
  } catch (failure) {
    throw new ValidationError(`Gemini cannot be asked with this configuration: ${messageOf(failure)}`, 'provider');
  }
  if (!built) throw new ValidationError('The Gemini client did not send a request', 'provider');
  return built;
}
