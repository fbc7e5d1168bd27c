import { readFileSync } from 'node:fs';
import { type AssistantMessage, type Model, type ModelRequest, type ModelStream, userMessage } from '@x/core';
import type { ContractCase } from '@x/core/testing';
import { expect } from 'vitest';
import { openaiChatModel } from '../src/openai-chat/openai-chat-model.ts';
import { type ContractStreams, type ModelContractOptions, modelContract } from '../src/testing/index.ts';

const structured = ['{"city', '":"Par', 'is"}']
  .map((content) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null as string | null }] }))
  .concat({ choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop' }] })
  .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
/** Every stream that the contract asks for, in the format of chat completions. */
export const streams: Required<ContractStreams> = {
  text: wire('text'),
  call: wire('call'),
  parallelCalls: wire('parallel-calls'),
  length: wire('length'),
  refusal: wire('refusal'),
  thinking: wire('reasoning'),
  callWithoutArguments: wire('call-without-arguments'),
  errorInStream: wire('error-in-stream'),
  cacheUsage: wire('text'),
  structured: `${structured.join('')}data: [DONE]\n\n`,
};
/** What the wrong models make use of. */
export const rightModel = (url: string, apiKey: string) =>
  openaiChatModel({ type: 'openai-compatible', apiKey, baseUrl: `${url}/v1` }, 'gpt-4o-mini');

/** What a wrong model does in the place of the right one. */
export type Wrong = (
  right: Model,
  request: ModelRequest,
  call: { readonly url: string; readonly number: number },
) => ModelStream;

/** The cases that a wrong model is held to. */
export function contractOf(wrong: Wrong, options: Partial<ModelContractOptions> = {}): readonly ContractCase[] {
  return modelContract({
    streams,
    patienceMs: 300,
    ...options,
    open: (url, apiKey) => {
      const right = rightModel(url, apiKey);
      let number = 0;
      const { provider, name, contextWindow } = right;
      return { provider, name, contextWindow, stream: (request) => wrong(right, request, { url, number: ++number }) };
    },
  });
}

/** The case whose name begins so. */
export function find(cases: readonly ContractCase[], name: string): ContractCase {
  const found = cases.filter((item) => item.name.startsWith(name));
  expect(found).not.toHaveLength(0);
  return found[0]!; // there is one
}

/** A reply with this content. */
export function reply(content: AssistantMessage['content']): AssistantMessage {
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const { id, createdAt } = userMessage('');
  return { id, createdAt, role: 'assistant', content, provider: 'p', model: 'm', usage, stopReason: 'end' };
}

function wire(name: string): string {
  return readFileSync(new URL(`wire/openai-chat/${name}.sse`, import.meta.url), 'utf8');
}
