import { ECHO_JSON_SCHEMA } from './echo-schema.mjs';
import { SYSTEM_PROMPT } from './shared.mjs';

/**
 * The smallest tool loop over OpenAI Chat Completions: it checks nothing and stores nothing.
 * @param {{ model: string, tool: any, streamChunks: (body: object, onChunk: (chunk: any) => void) => Promise<void> }} options
 */
export function createChatLoop({ model, tool, streamChunks }) {
  const messages = [{ role: 'system', content: SYSTEM_PROMPT }];
  const tools = [describe(tool)];
  return {
    async prompt(text, onDelta) {
      messages.push({ role: 'user', content: text });
      for (;;) {
        const turn = createTurn(onDelta);
        const body = { model, stream: true, stream_options: { include_usage: true }, tools, messages };
        await streamChunks(body, turn.add);
        messages.push(turn.message());
        if (turn.calls.length === 0) return;
        messages.push(...(await Promise.all(turn.calls.map((call) => runCall(tool, call)))));
      }
    },
  };
}

function createTurn(onDelta) {
  const calls = [];
  let content = '';
  return {
    calls,
    add: (chunk) => {
      const delta = chunk.choices[0]?.delta;
      if (!delta) return;
      if (delta.content) {
        content += delta.content;
        onDelta(delta.content);
      }
      if (delta.tool_calls) addCalls(calls, delta.tool_calls);
    },
    message() {
      if (calls.length === 0) return { role: 'assistant', content };
      return { role: 'assistant', content: content || null, tool_calls: calls };
    },
  };
}

function addCalls(calls, pieces) {
  for (const piece of pieces) {
    calls[piece.index] ??= {
      id: piece.id,
      type: 'function',
      function: { name: piece.function.name, arguments: '' },
    };
    calls[piece.index].function.arguments += piece.function.arguments;
  }
}

async function runCall(tool, call) {
  const content = await tool.execute(JSON.parse(call.function.arguments).text);
  return { role: 'tool', tool_call_id: call.id, content };
}

function describe({ name, description }) {
  return { type: 'function', function: { name, description, parameters: ECHO_JSON_SCHEMA } };
}
