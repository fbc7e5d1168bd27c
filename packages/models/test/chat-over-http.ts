import { userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { createModel } from '../src/create-model.ts';

/** The stream of a reply that says Hi. */
export const REPLY = 'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

/** A model of the service, to be asked again and again. */
export function asking({ url }: { url: string }) {
  const model = createModel({ type: 'openai-compatible', apiKey: 'k', baseUrl: `${url}/v1` }, 'm');
  return (signal = new AbortController().signal) =>
    collect(model.stream({ instruction: '', messages: [userMessage('Hello')], tools: [], signal }));
}
/** Asks a new model of the service once. */
export const ask = (server: { url: string }, signal?: AbortSignal) => asking(server)(signal);
