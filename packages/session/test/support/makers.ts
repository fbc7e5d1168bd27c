import {
  defineTool,
  type Message,
  objectSchema,
  type ResultMessage,
  type StreamMessage,
  type Tool,
  type ToolDefinition,
  textOf,
  toolUsesOf,
} from '@x/core';
import { type Script, type ScriptedModel, scriptedModel } from '@x/core/testing';
import {
  type CustomProvider,
  createSession,
  type EntryBody,
  type ISession,
  memoryStore,
  type SendOptions,
  type SessionOptions,
  type SessionStore,
  type StreamOptions,
} from '../../src/index.ts';

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
  const session = await createSession({
    provider,
    model: 'scripted',
    store: memoryStore(),
    allowedTools: namesOf(options.tools),
    ...options,
  });
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
    } else if (message.role === 'tool' && messages[index - 1]?.role !== 'assistant')
      faults.push('answers without a reply');
  });
  return faults;
}

function namesOf(tools: SessionOptions['tools'] = []): string[] {
  return tools.map(({ name }) => name);
}

/** A tool of any kind, without input unless `fields` says otherwise. */
export function toolNamed(name: string, execute: ToolDefinition['execute'], more: Partial<ToolDefinition> = {}): Tool {
  return defineTool({ name, description: 'A tool of a test.', inputSchema: objectSchema({}), execute, ...more });
}

/** Everything one `stream()` yields. */
export async function read(session: ISession, options: StreamOptions = {}): Promise<StreamMessage[]> {
  return await Array.fromAsync(session.stream(options));
}

/** Sends and reads the run. */
export async function say(session: ISession, text: string, options?: SendOptions): Promise<StreamMessage[]> {
  await session.send(text, options);
  return await read(session);
}

/** The last event, which every run ends with. */
export function resultOf(events: readonly StreamMessage[]): ResultMessage {
  const last = events.at(-1);
  if (last?.type === 'result') return last;
  throw new Error(`The stream ended with ${last?.type ?? 'nothing'}`);
}

/** The events of one type. */
export function only<T extends StreamMessage['type']>(events: readonly StreamMessage[], type: T) {
  return events.filter((event): event is Extract<StreamMessage, { type: T }> => event.type === type);
}

/** What the model was shown, as `role: text` lines. */
export function shownTo(model: ScriptedModel, call: number): string[] {
  return (model.requests[call]?.messages ?? []).map((message) => `${message.role}: ${linesOf(message)}`);
}

/** What a message says, or what its results are. */
export function linesOf(message: Message): string {
  return message.role === 'tool' ? message.content.map(({ output }) => output).join('|') : textOf(message);
}

/** The bodies of a session's log. */
export async function bodiesOf(store: SessionStore, sessionId: string): Promise<EntryBody[]> {
  return (await Array.fromAsync(store.read(sessionId))).map(({ body }) => body);
}

/** The code of what a promise rejects with, or a note that it did not. */
export async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
    return 'resolved';
  } catch (error) {
    return (error as { code?: unknown }).code ?? error;
  }
}
