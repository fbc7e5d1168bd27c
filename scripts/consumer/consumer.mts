// Copied into an empty project and type-checked there, declarations of the packages included.
import { createSession, defineTool, type ISession, type PromptResult, prompt, type StreamMessage } from '@x/agent-sdk';
import { z } from 'zod';

const weather = defineTool({
  name: 'weather',
  description: 'The weather in a city.',
  inputSchema: z.object({ city: z.string(), days: z.number().optional() }),
  execute: async ({ city, days }) => `${city.toUpperCase()}: sun for ${days?.toFixed(0) ?? 'one'} days`,
});

const provider = { type: 'openai-compatible', apiKey: 'none' } as const;

export async function ask(question: string): Promise<string> {
  const answer: PromptResult = await prompt(question, { provider, model: 'small', tools: [weather] });
  return answer.result;
}

export async function* follow(question: string): AsyncGenerator<StreamMessage> {
  await using session: ISession = await createSession({ provider, model: 'small' });
  await session.send(question);
  for await (const message of session.stream()) {
    if (message.type === 'content') console.log(message.delta.length);
    yield message;
  }
}

// @ts-expect-error: a session needs a provider
export const wrong = createSession({ model: 'small' });
