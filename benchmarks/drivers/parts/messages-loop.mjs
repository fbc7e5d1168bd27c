import { ECHO_JSON_SCHEMA } from './echo-schema.mjs';
import { SYSTEM_PROMPT } from './shared.mjs';

/** Anthropic wants a limit. */
const MAX_TOKENS = 4096;

/**
 * The smallest tool loop over Anthropic Messages: it checks nothing and stores nothing.
 * @param {{ model: string, tool: any, streamEvents: (body: object, onEvent: (event: any) => void) => Promise<void> }} options
 */
export function createMessagesLoop({ model, tool, streamEvents }) {
  const messages = [];
  const tools = [{ name: tool.name, description: tool.description, input_schema: ECHO_JSON_SCHEMA }];
  return {
    async prompt(text, onDelta) {
      messages.push({ role: 'user', content: text });
      for (;;) {
        const turn = createTurn(onDelta);
        await streamEvents({ model, max_tokens: MAX_TOKENS, system: SYSTEM_PROMPT, tools, messages }, turn.add);
        messages.push({ role: 'assistant', content: turn.content });
        const calls = turn.content.filter(({ type }) => type === 'tool_use');
        if (calls.length === 0) return;
        messages.push({ role: 'user', content: await Promise.all(calls.map((call) => runCall(tool, call))) });
      }
    },
  };
}

/** The content comes in blocks, and goes back as it came. */
function createTurn(onDelta) {
  const content = [];
  let json = '';
  return {
    content,
    add: (event) => {
      if (event.type === 'content_block_delta') addDelta(content[event.index], event.delta);
      else if (event.type === 'content_block_start') content[event.index] = { ...event.content_block };
      else if (event.type === 'content_block_stop' && json) finish(content[event.index]);
    },
  };

  function addDelta(block, delta) {
    if (delta.type === 'text_delta') {
      block.text += delta.text;
      onDelta(delta.text);
    } else if (delta.type === 'input_json_delta') json += delta.partial_json;
    else if (delta.type === 'thinking_delta') block.thinking += delta.thinking;
    else if (delta.type === 'signature_delta') block.signature = delta.signature;
  }

  function finish(block) {
    block.input = JSON.parse(json);
    json = '';
  }
}

async function runCall(tool, { id, input }) {
  return { type: 'tool_result', tool_use_id: id, content: await tool.execute(input.text) };
}
