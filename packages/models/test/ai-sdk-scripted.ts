import { type AgentEvent, type AssistantMessage, type Message, type ModelRequest, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { type AiSdkModel, type FromAiSdkOptions, fromAiSdk } from '../src/ai-sdk/index.ts';

/** Parts of the specification, as a provider streams them; an error is thrown in their place. */
export type Said = readonly (object | Error)[];

/** A language model of the AI SDK that says what it is told to, and keeps what it was asked. */
export class ScriptedAiSdkModel implements AiSdkModel {
  readonly provider: string;
  readonly modelId = 'some-model';
  readonly specificationVersion: string;
  readonly supportedUrls: AiSdkModel['supportedUrls'];
  readonly asked: Readonly<Record<string, unknown>>[] = [];
  /** Streams that were cancelled before their end. */
  cancelled = 0;
  readonly #said: Said;

  constructor(
    said: Said,
    {
      version = 'v4',
      provider = 'acme.chat',
      urls = {},
    }: { version?: string; provider?: string; urls?: AiSdkModel['supportedUrls'] } = {},
  ) {
    this.#said = said;
    this.specificationVersion = version;
    this.provider = provider;
    this.supportedUrls = urls;
  }

  async doStream(options: never): Promise<{ stream: ReadableStream<unknown> }> {
    this.asked.push(options);
    const said = [...this.#said];
    const stream = new ReadableStream({
      pull(controller) {
        const next = said.shift();
        if (next === undefined) controller.close();
        else if (next instanceof Error) controller.error(next);
        else controller.enqueue(next);
      },
      cancel: () => void (this.cancelled += 1),
    });
    return { stream };
  }
}

/** The end of a reply, in the words of versions 3 and 4. */
export function finish(unified = 'stop', raw?: string): object {
  const usage = { inputTokens: { total: 9, cacheRead: 4 }, outputTokens: { total: 2 } };
  return { type: 'finish', finishReason: { unified, raw }, usage };
}

/** A text in one piece. */
export function said(text: string): object {
  return { type: 'text-delta', id: '0', delta: text };
}

interface Asked {
  readonly events: readonly AgentEvent[];
  readonly value: AssistantMessage;
}

/** Asks a scripted model through the adapter. */
export function askScripted(
  source: AiSdkModel,
  asked: Partial<ModelRequest> = {},
  options: FromAiSdkOptions = {},
): Promise<Asked> {
  const messages: readonly Message[] = [userMessage('Hello')];
  const { signal } = new AbortController();
  const model = fromAiSdk(source, options).createModel(source.modelId);
  return collect(model.stream({ instruction: '', messages, tools: [], signal, ...asked }));
}
