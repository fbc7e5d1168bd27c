import { namedEvent } from './event-stream.mjs';
import { ARGUMENT_PIECES, callId } from './script.mjs';

const USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 120,
};
const ECHOED_TOOL = {
  type: 'function',
  name: 'echo',
  description: 'Returns the text it is given.',
  parameters: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  },
  strict: true,
};
const NOISE = 'mLPxH3vWZx5S0bTq'.repeat(2);
const NOISY_LENGTH = 16;

/** OpenAI Responses, streaming. As the service does it, the request is echoed three times, and noise hides the length of a delta. */
export const openaiResponses = {
  name: 'openai-responses',

  text({ model, words }) {
    return numbered(response({ model, turn: 0, items: [message(words)] }));
  },

  calls({ model, turn, count, tool }) {
    const items = Array.from({ length: count }, (_, index) => functionCall({ turn, index, tool }));
    return numbered(response({ model, turn, items }));
  },
};

function* numbered(events) {
  let sequenceNumber = 0;
  for (const { type, ...fields } of events) yield namedEvent({ type, sequence_number: sequenceNumber++, ...fields });
}

function* response({ model, turn, items }) {
  const start = { ...aboutResponse(model, turn), status: 'in_progress', output: [], usage: null };
  yield { type: 'response.created', response: start };
  yield { type: 'response.in_progress', response: start };
  const output = [];
  for (const [index, item] of items.entries()) {
    yield { type: 'response.output_item.added', output_index: index, item: item.opened };
    yield* item.events(index);
    yield { type: 'response.output_item.done', output_index: index, item: item.completed };
    output.push(item.completed);
  }
  yield { type: 'response.completed', response: { ...start, status: 'completed', output, usage: USAGE } };
}

function aboutResponse(model, turn) {
  return {
    id: `resp_bench_${turn}`,
    object: 'response',
    created_at: 1700000000,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: 'You are a bench agent.',
    max_output_tokens: null,
    max_tool_calls: null,
    model,
    parallel_tool_calls: true,
    previous_response_id: null,
    prompt_cache_key: null,
    reasoning: { effort: null, summary: null },
    safety_identifier: null,
    service_tier: 'default',
    store: false,
    temperature: 1,
    text: { format: { type: 'text' }, verbosity: 'medium' },
    tool_choice: 'auto',
    tools: [ECHOED_TOOL],
    top_logprobs: 0,
    top_p: 1,
    truncation: 'disabled',
    user: null,
    metadata: {},
  };
}

function message(words) {
  const opened = { id: 'msg_bench', type: 'message', status: 'in_progress', content: [], role: 'assistant' };
  const text = words.join('');
  const part = { type: 'output_text', annotations: [], logprobs: [], text };
  return {
    opened,
    completed: { ...opened, status: 'completed', content: [part] },
    *events(outputIndex) {
      const place = { item_id: opened.id, output_index: outputIndex, content_index: 0 };
      yield { type: 'response.content_part.added', ...place, part: { ...part, text: '' } };
      for (const [index, delta] of words.entries()) {
        yield { type: 'response.output_text.delta', ...place, delta, logprobs: [], obfuscation: noise(delta, index) };
      }
      yield { type: 'response.output_text.done', ...place, text, logprobs: [] };
      yield { type: 'response.content_part.done', ...place, part };
    },
  };
}

function functionCall({ turn, index, tool }) {
  const id = `fc_t${turn}_${index}`;
  const whole = ARGUMENT_PIECES.join('');
  const call = (status, text) => {
    return { id, type: 'function_call', status, arguments: text, call_id: callId(turn, index), name: tool };
  };
  return {
    opened: call('in_progress', ''),
    completed: call('completed', whole),
    *events(outputIndex) {
      const place = { item_id: id, output_index: outputIndex };
      for (const [piece, delta] of ARGUMENT_PIECES.entries()) {
        const obfuscation = noise(delta, piece);
        yield { type: 'response.function_call_arguments.delta', ...place, delta, obfuscation };
      }
      yield { type: 'response.function_call_arguments.done', ...place, arguments: whole };
    },
  };
}

/** Characters that fill a delta up to a length of its own kind. */
function noise(delta, index) {
  const from = (index * 5) % NOISY_LENGTH;
  return NOISE.slice(from, from + (NOISY_LENGTH - (delta.length % NOISY_LENGTH)));
}
