import { dataEvent } from './event-stream.mjs';
import { ARGUMENT_PIECES, callId } from './script.mjs';

const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

/** OpenAI Chat Completions, streaming. */
export const openaiChat = {
  name: 'openai-chat',

  *text({ model, words }) {
    const id = 'chatcmpl-bench';
    yield chunk({ id, model, delta: { role: 'assistant', content: '' } });
    for (const content of words) yield chunk({ id, model, delta: { content } });
    yield* ending({ id, model, finishReason: 'stop' });
  },

  *calls({ model, turn, count, tool }) {
    const id = `chatcmpl-bench-${turn}`;
    yield chunk({ id, model, delta: { role: 'assistant', content: null } });
    for (let index = 0; index < count; index++) {
      const call = { index, id: callId(turn, index), type: 'function', function: { name: tool, arguments: '' } };
      yield chunk({ id, model, delta: { tool_calls: [call] } });
      for (const piece of ARGUMENT_PIECES) {
        yield chunk({ id, model, delta: { tool_calls: [{ index, function: { arguments: piece } }] } });
      }
    }
    yield* ending({ id, model, finishReason: 'tool_calls' });
  },
};

function chunk({ id, model, delta, finishReason = null }) {
  const choice = { index: 0, delta, logprobs: null, finish_reason: finishReason };
  return dataEvent({ ...frame(id, model), system_fingerprint: 'fp_bench', choices: [choice] });
}

function* ending({ id, model, finishReason }) {
  yield chunk({ id, model, delta: {}, finishReason });
  yield dataEvent({ ...frame(id, model), choices: [], usage: USAGE });
  yield 'data: [DONE]\n\n';
}

function frame(id, model) {
  return { id, object: 'chat.completion.chunk', created: 1700000000, model };
}
