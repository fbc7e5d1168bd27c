// @deps {"@langchain/core":"1.2.13","@langchain/langgraph":"1.4.18","@langchain/openai":"1.6.0","langchain":"1.5.14","zod":"4.6.5"}
// @before 2026-10-01 because the newest versions of its packages do not resolve together
// langchain's createAgent (on LangGraph) without a checkpointer; the history is the last `values` state.

import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool as langchainTool } from 'langchain';
import { z } from 'zod';
import { oncePerModel, SYSTEM_PROMPT } from './parts/shared.mjs';

const agentFor = oncePerModel(({ baseURL, model, tool }) =>
  createAgent({
    model: new ChatOpenAI({
      model,
      apiKey: 'x',
      configuration: { baseURL },
      streaming: true,
      maxRetries: 0,
      useResponsesApi: false,
    }),
    systemPrompt: SYSTEM_PROMPT,
    tools: [
      langchainTool(({ text }) => tool.execute(text), {
        name: tool.name,
        description: tool.description,
        schema: z.object({ text: z.string() }),
      }),
    ],
  }),
);

export function createSession(options) {
  const agent = agentFor(options);
  const config = { recursionLimit: options.maxTurns * 4, streamMode: ['messages', 'values'] };
  let messages = [];
  return {
    async prompt(text, onDelta) {
      const input = { messages: [...messages, { role: 'user', content: text }] };
      for await (const [mode, state] of await agent.stream(input, config)) {
        if (mode === 'values') messages = state.messages;
        else reportText(state[0], onDelta);
      }
    },
  };
}

function reportText(message, onDelta) {
  if (message.getType?.() !== 'ai') return;
  if (typeof message.content === 'string' && message.content) onDelta(message.content);
}
