import type { GoogleGenAI } from '@google/genai/web';
import { errorContextOf, type WithAccess } from '../wire/access.ts';
import { errorOfAnswer } from '../wire/model-error.ts';
import type { GeminiConfig } from '../wire/provider-config.ts';

/** Removed because the client adds it; other libraries want it in the address. */
const VERSION = /\/v1beta\/?$/;
const DEFAULT_URL = 'https://generativelanguage.googleapis.com';

/**
 * Creates the official client for this configuration and key, sending through `send`; the package is loaded on first use. Its web entry
 * reads nothing from the environment, and all other defaults are set here.
 */
export async function geminiClient(
  { apiKey, baseUrl = DEFAULT_URL, headers }: WithAccess<GeminiConfig>,
  send: typeof fetch = fetch,
): Promise<GoogleGenAI> {
  const { GoogleGenAI } = await import('@google/genai/web');
  return new GoogleGenAI({
    apiKey,
    vertexai: false,
    apiVersion: 'v1beta',
    httpOptions: {
      baseUrl: baseUrl.replace(VERSION, ''),
      async fetch(url, init) {
        const sent = new Headers(init?.headers);
        // set here, because the client appends to its own header, spelt with other capitals
        for (const [name, value] of Object.entries(headers)) sent.set(name, value);
        const answer = await send(url, { ...init, headers: sent });
        if (answer.ok) return answer;
        // the client's own error has neither the headers nor the unchanged body
        const facts = { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
        throw errorOfAnswer(facts, errorContextOf('gemini', { apiKey, headers }));
      },
    },
  });
}
