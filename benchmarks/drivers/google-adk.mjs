// @deps {"@google/adk":"2.0.0","zod":"4.6.7"}
// @floor raw-fetch-gemini
// Google ADK over Gemini, as it has no OpenAI-compatible model class. It runs the calls of a turn one after another.
import { FunctionTool, Gemini, InMemoryRunner, LlmAgent, LogLevel, StreamingMode, setLogLevel } from '@google/adk';
import { z } from 'zod';
import { oncePerModel, SYSTEM_PROMPT } from './parts/shared.mjs';

setLogLevel?.(LogLevel?.ERROR ?? 3);

const APP = { appName: 'bench', userId: 'bench' };
let sessionCount = 0;

const runnerFor = oncePerModel(({ origin, model, tool }) => {
  process.env.GOOGLE_GEMINI_BASE_URL = origin;
  const agent = new LlmAgent({
    name: 'bench',
    model: new Gemini({ model, apiKey: 'x' }),
    instruction: SYSTEM_PROMPT,
    tools: [
      new FunctionTool({
        name: tool.name,
        description: tool.description,
        parameters: z.object({ text: z.string() }),
        execute: async ({ text }) => ({ text: await tool.execute(text) }),
      }),
    ],
  });
  return new InMemoryRunner({ appName: APP.appName, agent });
});

export async function createSession(options) {
  const runner = runnerFor(options);
  const sessionId = `session-${sessionCount++}`;
  await runner.sessionService.createSession({ ...APP, sessionId });
  return {
    async prompt(text, onDelta) {
      const events = runner.runAsync({
        userId: APP.userId,
        sessionId,
        newMessage: { role: 'user', parts: [{ text }] },
        runConfig: { streamingMode: StreamingMode.SSE, maxLlmCalls: 100_000 },
      });
      for await (const event of events) reportText(event, onDelta);
    },
  };
}

function reportText(event, onDelta) {
  if (event.errorCode || event.errorMessage) throw new Error(`${event.errorCode} ${event.errorMessage}`);
  if (!event.partial) return;
  for (const part of event.content?.parts ?? []) if (part.text) onDelta(part.text);
}
