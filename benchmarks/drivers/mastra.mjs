// @deps {"@mastra/core":"1.71.0","@ai-sdk/openai-compatible":"3.0.92","zod":"4.6.7"}
// Mastra's Agent.stream() without memory storage; the caller keeps the history.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { oncePerModel, SYSTEM_PROMPT } from './parts/shared.mjs';

const agentFor = oncePerModel(({ baseURL, model, tool }) => {
  const provider = createOpenAICompatible({ name: 'bench', baseURL, apiKey: 'x', includeUsage: true });
  return new Agent({
    id: 'bench',
    name: 'bench',
    instructions: SYSTEM_PROMPT,
    model: provider.chatModel(model),
    tools: {
      [tool.name]: createTool({
        id: tool.name,
        description: tool.description,
        inputSchema: z.object({ text: z.string() }),
        execute: ({ text }) => tool.execute(text),
      }),
    },
  });
});

export function createSession(options) {
  const agent = agentFor(options);
  const messages = [];
  return {
    async prompt(text, onDelta) {
      messages.push({ role: 'user', content: text });
      const result = await agent.stream(messages, { maxSteps: options.maxTurns, modelSettings: { maxRetries: 0 } });
      for await (const delta of result.textStream) onDelta(delta);
      messages.push(...((await result.response)?.messages ?? []));
    },
  };
}
