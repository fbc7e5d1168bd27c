import { dataEvent } from './event-stream.mjs';
import { PAYLOAD } from './script.mjs';

const PROMPT_TOKENS = 100;
const TOKENS_OF_A_TURN_OF_CALLS = 20;
/** What a thinking model wants back with the first call of a step; longer in life. */
export const THOUGHT_SIGNATURE = `bench${'CiQB0e2Kb8fR'.repeat(16)}`;

/**
 * Gemini `streamGenerateContent`: a turn of tool calls is one event, where the other formats have about ten. Every event
 * has its own count of tokens, and the first call of a turn has a signature that the service wants back.
 */
export const gemini = {
  name: 'gemini',

  *text({ model, words }) {
    for (const [index, text] of words.entries()) yield frame({ model, parts: [{ text }], tokens: index + 1 });
    yield frame({ model, parts: [{ text: '' }], tokens: words.length, last: true });
  },

  *calls({ model, turn, count, tool }) {
    const parts = Array.from({ length: count }, (_, index) => ({
      functionCall: { name: tool, args: { text: PAYLOAD } },
      ...(index === 0 && { thoughtSignature: THOUGHT_SIGNATURE }),
    }));
    yield frame({ model, turn, parts, tokens: TOKENS_OF_A_TURN_OF_CALLS, last: true });
  },
};

function frame({ model, turn = 0, parts, tokens, last = false }) {
  const candidate = { content: { parts, role: 'model' }, ...(last && { finishReason: 'STOP' }), index: 0 };
  const usageMetadata = {
    promptTokenCount: PROMPT_TOKENS,
    candidatesTokenCount: tokens,
    totalTokenCount: PROMPT_TOKENS + tokens,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: PROMPT_TOKENS }],
  };
  return dataEvent({ candidates: [candidate], usageMetadata, modelVersion: model, responseId: `bench-${turn}` });
}
