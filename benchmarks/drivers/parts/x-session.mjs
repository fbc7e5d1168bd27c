import { createSession, defineTool } from '@x/agent-sdk';
import { oncePerModel, SYSTEM_PROMPT } from './shared.mjs';

/** Above the 64 calls of the measure `parallel`; the default is 8. */
const MAX_PARALLEL_TOOLS = 64;

/**
 * Makes the `createSession` of a driver of ours; the two differ in the store alone.
 * @param {() => object} openStore called once, with the first session
 */
export function xDriver(openStore) {
  let store;
  const sharedFor = oncePerModel(({ baseURL, tool }) => ({
    provider: { type: 'openai-compatible', apiKey: 'x', baseUrl: baseURL },
    tools: [echoTool(tool)],
  }));

  return async function openSession(options) {
    store ??= openStore();
    const session = await createSession({
      ...sharedFor(options),
      model: options.model,
      allowedTools: ['echo'],
      maxTurns: options.maxTurns,
      maxParallelTools: MAX_PARALLEL_TOOLS,
      permissionMode: 'default',
      store,
      systemPrompt: SYSTEM_PROMPT,
    });
    return { prompt: (text, onDelta) => prompt(session, text, onDelta), close: () => session.close() };
  };
}

async function prompt(session, text, onDelta) {
  await session.send(text);
  let subtype;
  for await (const event of session.stream()) {
    if (event.type === 'content') onDelta(event.delta);
    else if (event.type === 'error') throw new Error(event.message);
    else if (event.type === 'result') ({ subtype } = event);
  }
  if (subtype !== 'success') throw new Error(`the run ended with ${subtype}`);
}

function echoTool(tool) {
  return defineTool({
    name: tool.name,
    description: tool.description,
    inputSchema: ECHO_INPUT,
    kind: 'readonly',
    execute: async ({ text }) => tool.execute(text),
  });
}

const ECHO_JSON_SCHEMA = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
  additionalProperties: false,
};

/** A Standard Schema by hand: a schema library would be in the import figure, and choosing one is the user's affair. */
const ECHO_INPUT = {
  '~standard': {
    version: 1,
    vendor: 'benchmarks',
    validate(value) {
      const text = typeof value === 'object' && value !== null ? value.text : undefined;
      if (typeof text === 'string') return { value: { text } };
      return { issues: [{ message: 'expected a string', path: ['text'] }] };
    },
    jsonSchema: { input: () => ECHO_JSON_SCHEMA, output: () => ECHO_JSON_SCHEMA },
  },
};
