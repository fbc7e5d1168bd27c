import { Agent, NullConversationManager, tool as strandsTool } from '@strands-agents/sdk';
import { OpenAIModel } from '@strands-agents/sdk/models/openai';
import { z } from 'zod';
import { oncePerModel, SYSTEM_PROMPT } from './shared.mjs';

/** A Strands Agent per session, as it holds the conversation; NullConversationManager so that no history is dropped. */
export function strandsDriver(api) {
  const sharedFor = oncePerModel(({ baseURL, model, tool }) => ({
    model: new OpenAIModel({ api, modelId: model, apiKey: 'x', clientConfig: { baseURL, maxRetries: 0 } }),
    tools: [
      strandsTool({
        name: tool.name,
        description: tool.description,
        inputSchema: z.object({ text: z.string() }),
        callback: ({ text }) => tool.execute(text),
      }),
    ],
  }));

  return function createSession(options) {
    const agent = new Agent({
      ...sharedFor(options),
      systemPrompt: SYSTEM_PROMPT,
      conversationManager: new NullConversationManager(),
      printer: false,
    });
    return { prompt: (text, onDelta) => prompt(agent, text, onDelta) };
  };
}

async function prompt(agent, text, onDelta) {
  for await (const outer of agent.stream(text)) {
    const event = outer.type === 'modelStreamUpdateEvent' ? outer.event : outer;
    if (event.type !== 'modelContentBlockDeltaEvent') continue;
    if (event.delta.type === 'textDelta') onDelta(event.delta.text);
  }
}
