// @deps {"@earendil-works/pi-agent-core":"0.87.1","@earendil-works/pi-ai":"0.87.1"}
// pi-agent-core's Agent over pi-ai's openai-completions API. An Agent holds the conversation: one per session.
import { Agent } from '@earendil-works/pi-agent-core';
import { createModels, createProvider, Type } from '@earendil-works/pi-ai';
import { openAICompletionsApi } from '@earendil-works/pi-ai/api/openai-completions.lazy';
import { oncePerModel, SYSTEM_PROMPT } from './parts/shared.mjs';

const sharedFor = oncePerModel(({ baseURL, model, tool }) => {
  const models = createModels();
  models.setProvider(provider(baseURL, model));
  return {
    model: models.getModel('bench', model),
    streamFn: models.streamSimple.bind(models),
    tools: [piTool(tool)],
  };
});

export function createSession(options) {
  const { model, tools, streamFn } = sharedFor(options);
  const agent = new Agent({ initialState: { systemPrompt: SYSTEM_PROMPT, model, tools }, streamFn });
  let notify;
  agent.subscribe((event) => {
    if (event.type !== 'message_update') return;
    const update = event.assistantMessageEvent;
    if (update.type === 'text_delta') notify(update.delta);
  });
  return {
    async prompt(text, onDelta) {
      notify = onDelta;
      await agent.prompt(text);
      if (agent.state.errorMessage) throw new Error(agent.state.errorMessage);
    },
  };
}

function provider(baseUrl, model) {
  return createProvider({
    id: 'bench',
    name: 'bench',
    baseUrl,
    auth: { apiKey: { name: 'bench', resolve: async () => ({ auth: { apiKey: 'x' } }) } },
    models: [describeModel(baseUrl, model)],
    api: openAICompletionsApi(),
  });
}

function describeModel(baseUrl, model) {
  return {
    id: model,
    name: model,
    api: 'openai-completions',
    provider: 'bench',
    baseUrl,
    reasoning: false,
    input: ['text'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 1e9,
    maxTokens: 4096,
  };
}

function piTool(tool) {
  return {
    name: tool.name,
    label: tool.name,
    description: tool.description,
    parameters: Type.Object({ text: Type.String() }),
    execute: async (_id, { text }) => ({
      content: [{ type: 'text', text: await tool.execute(text) }],
      details: undefined,
    }),
  };
}
