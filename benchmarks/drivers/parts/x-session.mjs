import { createSession, defineTool } from '@x/agent-sdk';
import { ECHO_JSON_SCHEMA } from './echo-schema.mjs';
import { oncePerModel, SYSTEM_PROMPT } from './shared.mjs';

/** Above the 64 calls of the measure `parallel`; the default is 8. */
const MAX_PARALLEL_TOOLS = 64;

/** What a user would write for each format. */
const PROVIDERS = {
  chat: ({ baseURL }) => ({ type: 'openai-compatible', apiKey: 'x', baseUrl: baseURL }),
  responses: ({ baseURL }) => ({ type: 'openai-compatible', apiKey: 'x', baseUrl: baseURL, api: 'responses' }),
  anthropic: ({ origin }) => ({ type: 'anthropic', apiKey: 'x', baseUrl: origin }),
  gemini: ({ origin }) => ({ type: 'gemini', apiKey: 'x', baseUrl: origin }),
};

/**
 * Makes the `createSession` of a driver of ours; they differ in the format and the store alone.
 * @param {keyof typeof PROVIDERS} format
 * @param {() => object} openStore called once, with the first session
 */
export function xDriver(format, openStore) {
  let store;
  const sharedFor = oncePerModel((options) => ({
    provider: PROVIDERS[format](options),
    tools: [echoTool(options.tool)],
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
