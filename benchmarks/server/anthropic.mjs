import { paddedEvent } from './event-stream.mjs';
import { ARGUMENT_PIECES, callId } from './script.mjs';

const USAGE = {
  input_tokens: 100,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  output_tokens: 1,
  service_tier: 'standard',
  inference_geo: 'not_available',
};
const FINAL_USAGE = {
  input_tokens: 100,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 20,
};

/** Anthropic Messages, streaming. As the service does it, every event ends in a number of spaces that hides its length. */
export const anthropic = {
  name: 'anthropic',

  text({ model, words }) {
    const block = { content: { type: 'text', text: '' }, deltas: words.map((text) => ({ type: 'text_delta', text })) };
    return padded(message({ model, turn: 0, blocks: [block], stopReason: 'end_turn' }));
  },

  calls({ model, turn, count, tool }) {
    const blocks = Array.from({ length: count }, (_, index) => ({
      content: { type: 'tool_use', id: callId(turn, index), name: tool, input: {}, caller: { type: 'direct' } },
      // The service opens the arguments with an empty piece.
      deltas: ['', ...ARGUMENT_PIECES].map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    }));
    return padded(message({ model, turn, blocks, stopReason: 'tool_use' }));
  },
};

function* padded(events) {
  let index = 0;
  for (const event of events) yield paddedEvent(event, index++);
}

function* message({ model, turn, blocks, stopReason }) {
  const start = { model, id: `msg_bench_${turn}`, type: 'message', role: 'assistant', content: [] };
  yield {
    type: 'message_start',
    message: { ...start, stop_reason: null, stop_sequence: null, stop_details: null, usage: USAGE },
  };
  for (const [index, { content, deltas }] of blocks.entries()) {
    yield { type: 'content_block_start', index, content_block: content };
    if (index === 0) yield { type: 'ping' };
    for (const delta of deltas) yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  const delta = { stop_reason: stopReason, stop_sequence: null, stop_details: null };
  yield { type: 'message_delta', delta, usage: FINAL_USAGE };
  yield { type: 'message_stop' };
}
