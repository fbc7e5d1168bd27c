import { type Message, objectSchema, type Tool, toolUsesOf } from '@x/core';
import { type Script, type ScriptedModel, scriptedModel } from '@x/core/testing';
import { defineTool } from '@x/core';
import { createSession, type CustomProvider, memoryStore, type SessionOptions } from '../src/index.ts';

/** A provider whose models play one script, and the models it has made. */
export function scriptedProvider(script: Script): { provider: CustomProvider; models: ScriptedModel[] } {
  const models: ScriptedModel[] = [];
  const createModel = (name: string) => {
    const model = scriptedModel(script, { name });
    models.push(model);
    return model;
  };
  return { provider: { type: 'custom', createModel }, models };
}

/** A session in memory whose model plays the script. */
export async function scriptedSession(script: Script, options: Partial<SessionOptions> = {}) {
  const { provider, models } = scriptedProvider(script);
  const session = await createSession({ provider, model: 'scripted', store: memoryStore(), allowedTools: namesOf(options.tools), ...options });
  return { session, model: models[0]! };
}

/** Says its text again; safe beside others. */
export function echoTool(onCall: (text: string) => unknown = () => undefined): Tool<{ text: string }> {
  return defineTool({
    name: 'echo',
    description: 'Says it again.',
    kind: 'readonly',
    inputSchema: objectSchema({ text: { type: 'string', description: 'What to say.' } }),
    execute: async ({ text }) => {
      await onCall(text);
      return text;
    },
  }) as Tool<{ text: string }>;
}

/** Every call of every reply is answered, once, in order, right behind it; the way every provider wants it. */
export function faultsOf(messages: readonly Message[]): string[] {
  const faults: string[] = [];
  messages.forEach((message, index) => {
    if (message.role === 'assistant') {
      const asked = toolUsesOf(message).map(({ id }) => id);
      const next = messages[index + 1];
      const answered = next?.role === 'tool' ? next.content.map(({ toolUseId }) => toolUseId) : [];
      if (asked.join() !== answered.join()) faults.push(`asked ${asked.join()}, answered ${answered.join()}`);
    } else if (message.role === 'tool' && messages[index - 1]?.role !== 'assistant') faults.push('answers without a reply');
  });
  return faults;
}

function namesOf(tools: SessionOptions['tools'] = []): string[] {
  return tools.map(({ name }) => name);
}
