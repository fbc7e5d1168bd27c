// @deps {"@openai/agents":"0.20.0","zod":"4.6.7"}
// OpenAI Agents SDK over Chat Completions, tracing off; the history is carried in `history`.
import { Agent, tool as agentTool, OpenAIChatCompletionsModel, run, setTracingDisabled } from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';
import { oncePerModel, SYSTEM_PROMPT } from './parts/shared.mjs';

setTracingDisabled(true);

const agentFor = oncePerModel(({ baseURL, model, tool }) => {
  const client = new OpenAI({ baseURL, apiKey: 'x', maxRetries: 0 });
  return new Agent({
    name: 'bench',
    instructions: SYSTEM_PROMPT,
    model: new OpenAIChatCompletionsModel(client, model),
    tools: [
      agentTool({
        name: tool.name,
        description: tool.description,
        parameters: z.object({ text: z.string() }),
        execute: ({ text }) => tool.execute(text),
      }),
    ],
  });
});

export function createSession(options) {
  const agent = agentFor(options);
  let history = [];
  return {
    async prompt(text, onDelta) {
      const input = [...history, { role: 'user', content: text }];
      const result = await run(agent, input, { stream: true, maxTurns: options.maxTurns });
      for await (const event of result) {
        if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') {
          onDelta(event.data.delta);
        }
      }
      await result.completed;
      history = result.history;
    },
  };
}
