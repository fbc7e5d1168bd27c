// @deps {"ai":"7.0.173","@ai-sdk/openai-compatible":"3.0.92","zod":"4.6.7"}
// AI SDK: ToolLoopAgent.stream(); the caller keeps the history, which is its documented way.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { tool as aiTool, isStepCount, ToolLoopAgent } from 'ai';
import { z } from 'zod';
import { oncePerModel, SYSTEM_PROMPT } from './parts/shared.mjs';

globalThis.AI_SDK_LOG_WARNINGS = false;

const agentFor = oncePerModel(({ baseURL, model, tool, maxTurns }) => {
  const provider = createOpenAICompatible({ name: 'bench', baseURL, apiKey: 'x', includeUsage: true });
  return new ToolLoopAgent({
    model: provider.chatModel(model),
    instructions: SYSTEM_PROMPT,
    maxRetries: 0,
    stopWhen: isStepCount(maxTurns),
    tools: {
      [tool.name]: aiTool({
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
      const result = await agent.stream({ messages });
      for await (const delta of result.textStream) onDelta(delta);
      messages.push(...((await result.responseMessages) ?? (await result.response).messages));
    },
  };
}
