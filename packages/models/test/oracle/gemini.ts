import { type GenerateContentResponse, GoogleGenAI, type Part } from '@google/genai/web';
import type { AssistantMessage, Model } from '@x/core';
import { createModel } from '../../src/create-model.ts';
import type { Oracle } from './oracle.ts';

const NAME = 'gemini-2.5-flash';
const STOP: Readonly<Record<string, string>> = {
  STOP: 'end',
  OTHER: 'end',
  MAX_TOKENS: 'length',
  CONTINUATION: 'length',
  SAFETY: 'refusal',
  RECITATION: 'refusal',
  MODEL_ARMOR: 'refusal',
};

export const geminiOracle: Oracle = {
  format: 'gemini',
  open: (url) => openGemini(url),
  factsOfOurs: factsOfOurGemini,
  theirs: async (url) => factsOfTheirGemini(await theirGemini(url)),
  known: {
    'call-without-name': 'a call of nothing',
    cut: 'half a reply for a whole one',
    'error-event': 'half a reply for a whole one',
    'error-in-list': 'half a reply for a whole one',
    'malformed-call': 'a call that the service could not read for a reply',
    'other-and-empty': 'nothing for a reply',
    'reason-in-small-letters': 'a reason of no meaning',
    'signature-without-text': 'a part without a text for one with an empty text',
    'streamed-arguments': 'pieces of a call for calls',
    'streamed-arguments-cut': 'pieces of a call for calls',
    'streamed-arguments-interleaved': 'pieces of a call for calls',
    'streamed-calls-left-open': 'pieces of a call for calls',
    'streamed-calls-without-id': 'pieces of a call for calls',
  },
};

export function openGemini(url: string, model: string = NAME): Model {
  return createModel({ type: 'gemini', apiKey: 'k', baseUrl: url }, model);
}

/** What the official client hands out. */
export async function theirGemini(url: string, model: string = NAME): Promise<readonly GenerateContentResponse[]> {
  const client = new GoogleGenAI({ apiKey: 'k', apiVersion: 'v1beta', httpOptions: { baseUrl: url } });
  // a reply that goes on in a second request is not what is compared
  const config = { systemInstruction: 'Be brief.', automaticContinuation: false };
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of await client.models.generateContentStream({ model, contents: 'Hello', config }))
    chunks.push(chunk);
  return chunks;
}

/** The parts as they go back, text that goes on joined. */
export interface GeminiFacts {
  readonly parts: readonly object[];
  readonly usage: readonly (number | undefined)[];
  readonly stopReason: string | undefined;
}

export function factsOfOurGemini({ content, usage, stopReason }: AssistantMessage): GeminiFacts {
  const parts = content.map((block): Part => {
    const { signature, part } = (block.providerData?.data ?? {}) as { signature?: string; part?: Part }; // safe: the adapter's own
    if (part) return part;
    const signed = signature === undefined ? {} : { thoughtSignature: signature };
    if (block.type === 'text') return { text: block.text, ...signed };
    if (block.type === 'thinking') return { text: block.text, thought: true, ...signed };
    if (block.type === 'image') return { inlineData: { mimeType: block.mediaType, data: block.data }, ...signed };
    return { functionCall: { name: block.name, args: block.input as Record<string, unknown> }, ...signed }; // safe: only compared
  });
  const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens } = usage;
  return { parts: joined(parts), usage: [inputTokens, outputTokens, cacheReadTokens, reasoningTokens], stopReason };
}

export function factsOfTheirGemini(chunks: readonly GenerateContentResponse[]): GeminiFacts {
  const parts = joined(chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []));
  const reason = chunks.findLast((chunk) => chunk.candidates?.[0]?.finishReason)?.candidates?.[0]?.finishReason;
  const blocked = chunks.some((chunk) => chunk.promptFeedback?.blockReason);
  const reported = chunks.flatMap((chunk) => chunk.usageMetadata ?? []);
  const last = (
    field: `${'prompt' | 'toolUsePrompt' | 'cachedContent' | 'thoughts' | 'candidates'}TokenCount`,
  ): number | undefined => reported.findLast((usage) => usage[field] !== undefined)?.[field];
  const output = (last('candidatesTokenCount') ?? 0) + (last('thoughtsTokenCount') ?? 0);
  const stopReason = blocked ? 'refusal' : STOP[reason ?? ''];
  const calls = parts.some((part) => 'functionCall' in part);
  return {
    parts,
    usage: [
      (last('promptTokenCount') ?? 0) + (last('toolUsePromptTokenCount') ?? 0),
      output,
      last('cachedContentTokenCount'),
      last('thoughtsTokenCount'),
    ],
    stopReason: stopReason === 'end' && calls ? 'tool_use' : stopReason,
  };
}

function joined(parts: readonly Part[]): readonly object[] {
  const all: Part[] = [];
  for (const { functionCall, ...part } of parts) {
    const last = all.at(-1);
    const isText = part.text !== undefined && !part.thoughtSignature;
    const goesOn = isText && last?.text !== undefined && !last.thoughtSignature && last.thought === part.thought;
    if (isText && part.text === '') continue;
    if (goesOn) last.text += part.text ?? '';
    else if (functionCall)
      all.push({ ...part, functionCall: { name: functionCall.name!, args: functionCall.args ?? {} } });
    else all.push({ ...part });
  }
  return all;
}
