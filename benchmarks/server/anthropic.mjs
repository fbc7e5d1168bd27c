import { namedEvent } from './event-stream.mjs';
import { ARGUMENT_PIECES, callId } from './script.mjs';

const USAGE = { input_tokens: 100, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };

/** Anthropic Messages, streaming. */
export const anthropic = {
  name: 'anthropic',

  *text({ model, words }) {
    yield* opening(model);
    yield* block({
      index: 0,
      content: { type: 'text', text: '' },
      deltas: words.map((text) => ({ type: 'text_delta', text })),
    });
    yield* ending('end_turn');
  },

  *calls({ model, turn, count, tool }) {
    yield* opening(model);
    for (let index = 0; index < count; index++) {
      yield* block({
        index,
        content: { type: 'tool_use', id: callId(turn, index), name: tool, input: {} },
        deltas: ARGUMENT_PIECES.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
      });
    }
    yield* ending('tool_use');
  },
};

function* opening(model) {
  const message = { id: 'msg_bench', type: 'message', role: 'assistant', model, content: [] };
  yield namedEvent({
    type: 'message_start',
    message: { ...message, stop_reason: null, stop_sequence: null, usage: USAGE },
  });
}

function* block({ index, content, deltas }) {
  yield namedEvent({ type: 'content_block_start', index, content_block: content });
  for (const delta of deltas) yield namedEvent({ type: 'content_block_delta', index, delta });
  yield namedEvent({ type: 'content_block_stop', index });
}

function* ending(stopReason) {
  const delta = { stop_reason: stopReason, stop_sequence: null };
  yield namedEvent({ type: 'message_delta', delta, usage: { output_tokens: 20 } });
  yield namedEvent({ type: 'message_stop' });
}
