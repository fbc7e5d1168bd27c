import { ECHO_JSON_SCHEMA } from './echo-schema.mjs';
import { SYSTEM_PROMPT } from './shared.mjs';

/**
 * The smallest tool loop over OpenAI Responses, without state at the service: it checks nothing and stores nothing.
 * @param {{ model: string, tool: any, streamEvents: (body: object, onEvent: (event: any) => void) => Promise<void> }} options
 */
export function createResponsesLoop({ model, tool, streamEvents }) {
  const input = [];
  const about = { type: 'function', name: tool.name, description: tool.description };
  const tools = [{ ...about, parameters: ECHO_JSON_SCHEMA, strict: true }];
  const include = ['reasoning.encrypted_content'];
  return {
    async prompt(text, onDelta) {
      input.push({ role: 'user', content: text });
      for (;;) {
        const items = [];
        const body = { model, stream: true, store: false, include, instructions: SYSTEM_PROMPT, tools, input };
        await streamEvents(body, (event) => {
          if (event.type === 'response.output_text.delta') onDelta(event.delta);
          else if (event.type === 'response.output_item.done') items.push(event.item);
        });
        // Items go back as they came, reasoning among them.
        input.push(...items);
        const calls = items.filter(({ type }) => type === 'function_call');
        if (calls.length === 0) return;
        input.push(...(await Promise.all(calls.map((call) => runCall(tool, call)))));
      }
    },
  };
}

async function runCall(tool, call) {
  const output = await tool.execute(JSON.parse(call.arguments).text);
  return { type: 'function_call_output', call_id: call.call_id, output };
}
