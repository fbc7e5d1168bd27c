import { ECHO_JSON_SCHEMA } from './echo-schema.mjs';

/**
 * The smallest tool loop over Gemini: it checks nothing and stores nothing.
 * @param {{ tool: any, streamChunks: (contents: object[], onChunk: (chunk: any) => void) => Promise<void> }} options
 */
export function createContentsLoop({ tool, streamChunks }) {
  const contents = [];
  return {
    async prompt(text, onDelta) {
      contents.push({ role: 'user', parts: [{ text }] });
      for (;;) {
        const turn = createTurn(onDelta);
        await streamChunks(contents, turn.add);
        contents.push({ role: 'model', parts: turn.parts() });
        if (turn.calls.length === 0) return;
        contents.push({ role: 'user', parts: await Promise.all(turn.calls.map((call) => runCall(tool, call))) });
      }
    },
  };
}

/** Parts with a call go back as they came, signatures among them; text is put together. */
function createTurn(onDelta) {
  const calls = [];
  let text = '';
  return {
    calls,
    add: (chunk) => {
      for (const part of chunk.candidates[0].content.parts) {
        if (part.functionCall) calls.push(part);
        else if (part.text) {
          text += part.text;
          onDelta(part.text);
        }
      }
    },
    parts: () => (text ? [{ text }, ...calls] : calls),
  };
}

async function runCall(tool, { functionCall: { name, args } }) {
  return { functionResponse: { name, response: { output: await tool.execute(args.text) } } };
}

export function declareTool({ name, description }) {
  return { functionDeclarations: [{ name, description, parametersJsonSchema: ECHO_JSON_SCHEMA }] };
}
