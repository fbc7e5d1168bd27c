import { namedEvent } from './event-stream.mjs';
import { ARGUMENT_PIECES, callId } from './script.mjs';

const USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 120,
};

/** OpenAI Responses, streaming. */
export const openaiResponses = {
  name: 'openai-responses',

  *text({ model, words }) {
    yield* numbered(response({ model, turn: 0, items: [message(words)] }));
  },

  *calls({ model, turn, count, tool }) {
    const items = Array.from({ length: count }, (_, index) => functionCall({ turn, index, tool }));
    yield* numbered(response({ model, turn, items }));
  },
};

function* numbered(events) {
  let sequenceNumber = 0;
  for (const event of events) yield namedEvent({ ...event, sequence_number: sequenceNumber++ });
}

function* response({ model, turn, items }) {
  const base = {
    id: `resp_bench_${turn}`,
    object: 'response',
    created_at: 1700000000,
    model,
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
  };
  yield { type: 'response.created', response: { ...base, status: 'in_progress', output: [], usage: null } };
  const output = [];
  for (const [index, item] of items.entries()) {
    yield { type: 'response.output_item.added', output_index: index, item: item.opened };
    yield* item.events(index);
    yield { type: 'response.output_item.done', output_index: index, item: item.completed };
    output.push(item.completed);
  }
  yield { type: 'response.completed', response: { ...base, status: 'completed', output, usage: USAGE } };
}

function message(words) {
  const opened = { id: 'msg_bench', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
  const text = words.join('');
  const part = { type: 'output_text', text, annotations: [] };
  return {
    opened,
    completed: { ...opened, status: 'completed', content: [part] },
    *events(outputIndex) {
      const place = { item_id: opened.id, output_index: outputIndex, content_index: 0 };
      yield { type: 'response.content_part.added', ...place, part: { ...part, text: '' } };
      for (const delta of words) yield { type: 'response.output_text.delta', ...place, delta, logprobs: [] };
      yield { type: 'response.output_text.done', ...place, text, logprobs: [] };
      yield { type: 'response.content_part.done', ...place, part };
    },
  };
}

function functionCall({ turn, index, tool }) {
  const id = `fc_t${turn}_${index}`;
  const opened = { id, type: 'function_call', call_id: callId(turn, index), name: tool, arguments: '' };
  const whole = ARGUMENT_PIECES.join('');
  return {
    opened: { ...opened, status: 'in_progress' },
    completed: { ...opened, arguments: whole, status: 'completed' },
    *events(outputIndex) {
      const place = { item_id: id, output_index: outputIndex };
      for (const delta of ARGUMENT_PIECES) yield { type: 'response.function_call_arguments.delta', ...place, delta };
      yield { type: 'response.function_call_arguments.done', ...place, name: tool, arguments: whole };
    },
  };
}
