import { dataEvent } from './event-stream.mjs';
import { PAYLOAD } from './script.mjs';

const USAGE = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 };

/** Gemini `streamGenerateContent`: a turn of tool calls is one event, where the other formats have about nine. */
export const gemini = {
  name: 'gemini',

  *text({ model, words }) {
    for (const text of words) yield dataEvent(frame({ model, parts: [{ text }] }));
    yield dataEvent(frame({ model, parts: [{ text: '' }], last: true }));
  },

  *calls({ model, count, tool }) {
    const call = { functionCall: { name: tool, args: { text: PAYLOAD } } };
    yield dataEvent(frame({ model, parts: Array.from({ length: count }, () => call), last: true }));
  },
};

function frame({ model, parts, last = false }) {
  const candidate = { content: { role: 'model', parts }, index: 0, ...(last && { finishReason: 'STOP' }) };
  return { candidates: [candidate], ...(last && { usageMetadata: USAGE }), modelVersion: model, responseId: 'bench' };
}
