import { AbortError, isAgentError, type ModelRequest } from '@x/core';
import { onAbort, unlessAborted } from '@x/core/internal';
import { PausedTurns } from '../anthropic/paused-turns.ts';
import { recordOf } from '../wire/json-values.ts';
import type { Speak } from '../wire/lazy-model.ts';
import type { ErrorContext } from '../wire/model-error.ts';
import { unreadableReply, unsayableRequest } from '../wire/reply-reader.ts';
import { bedrockError } from './bedrock-error.ts';
import { BEDROCK } from './bedrock-options.ts';
import { claudeApi } from './claude-api.ts';
import type { OpenClient } from './client-for.ts';
import { converseApi } from './converse-api.ts';
import type { BedrockApi, SpokenBedrock, WireEvent } from './event-reader.ts';

/** The facts of one call that its errors need. */
interface CallContext extends ErrorContext {
  secrets: readonly string[];
  requestId: string | undefined;
  isAnswered: boolean;
}

/** Talks to a model of Bedrock through the official client. Stateless towards its callers: sessions share it. */
export function speakBedrock(spoken: SpokenBedrock): Speak {
  const paused = new PausedTurns();
  const isClaude = spoken.api === 'anthropic';
  const api = isClaude ? claudeApi(spoken, paused) : converseApi(spoken);
  const speak = speakThrough(api, spoken);
  return isClaude ? paused.continuing(speak) : speak;
}

function speakThrough(api: BedrockApi, { name, open }: SpokenBedrock): Speak {
  return async function* stream(request) {
    const { signal } = request;
    if (signal.aborted) throw new AbortError();
    const context: CallContext = {
      provider: BEDROCK,
      apiKey: '',
      secrets: [],
      requestId: undefined,
      isAnswered: false,
    };
    const translated = async (failure: unknown): Promise<never> => {
      throw bedrockError(failure, { ...context, secrets: await secretsOf(opening) }, signal);
    };
    // a signal of its own: the request is given up when the reader leaves, too
    const call = new AbortController();
    const release = onAbort(signal, () => call.abort());
    let answer: Answer | undefined;
    let opening: Promise<OpenClient> | undefined;
    try {
      const { sdk, client } = await unlessAborted(() => (opening = open()), call.signal).catch(translated);
      const command = commandOf(api, sdk, request, context);
      answer = new Answer(command);
      const said = recordOf(await client.send(command as never, { abortSignal: call.signal }).catch(translated)) ?? {};
      context.requestId = requestIdIn(said);
      context.isAnswered = true;
      context.secrets = await secretsOf(opening);
      const reader = api.reader({ model: name, request, context });
      const events = answer.events(api.eventsIn(said));
      for (;;) {
        const { done, value } = await unlessAborted(() => events.next(), call.signal).catch(translated);
        if (done) break;
        for (const event of reader.push(value as WireEvent)) yield event; // safe: an object, read by name
      }
      for (const event of reader.end()) yield event;
      return reader.message();
    } catch (failure) {
      throw isAgentError(failure) ? failure : unreadableReply(context, failure);
    } finally {
      release();
      call.abort();
      answer?.close();
    }
  };
}

function commandOf(api: BedrockApi, sdk: OpenClient['sdk'], request: ModelRequest, context: ErrorContext): object {
  try {
    return api.command(sdk, request);
  } catch (failure) {
    throw isAgentError(failure) ? failure : unsayableRequest(context, failure);
  }
}

/** Keys and tokens of the client, which errors must not show. */
async function secretsOf(opening: Promise<OpenClient> | undefined): Promise<readonly string[]> {
  const config = recordOf(recordOf((await opening?.catch(() => undefined))?.client)?.['config']) ?? {};
  const found = ['token', 'credentials'].map(async (name) => {
    const give = config[name];
    return typeof give === 'function' ? recordOf(await give.call(config)) : undefined;
  });
  const settled = await Promise.allSettled(found);
  return settled.flatMap((one) => {
    const secrets = one.status === 'fulfilled' ? (one.value ?? {}) : {};
    return ['token', 'secretAccessKey', 'sessionToken']
      .map((name) => secrets[name])
      .filter((text) => typeof text === 'string');
  });
}

function requestIdIn(said: WireEvent): string | undefined {
  const id = recordOf(said['$metadata'])?.['requestId'];
  return typeof id === 'string' ? id : undefined;
}

interface Destroyable {
  destroy?: () => unknown;
}
type Next = (args: unknown) => Promise<{ readonly response?: unknown }>;

/** The answer below the client, whose iterator cannot be left while the service is silent: its connection is closed from here. */
class Answer {
  #body: Destroyable | undefined;
  #isWhole = false;

  constructor(command: object) {
    const { middlewareStack } = command as { middlewareStack: { add(wrap: (next: Next) => Next, at: object): void } }; // safe: of every command
    middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        this.#body = (result.response as { readonly body?: Destroyable } | undefined)?.body;
        return result;
      },
      { step: 'deserialize', priority: 'low', name: 'keepsBody' },
    );
  }

  async *events(list: unknown): AsyncGenerator<unknown, void, void> {
    yield* list as AsyncIterable<unknown>; // safe: as the client returns it
    this.#isWhole = true;
  }

  /** Closes the connection of an answer that was not read to its end. */
  close(): void {
    if (!this.#isWhole) this.#body?.destroy?.();
  }
}
