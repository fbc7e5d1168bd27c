import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';

/** What the scripted model says and, perhaps, does in one turn. */
export interface Reply {
  readonly say: string;
  readonly calls?: readonly { readonly name: string; readonly input: Readonly<Record<string, unknown>> }[];
}
/** What the scripted model is asked. */
export interface Question {
  readonly instruction: string;
  /** The text of the last user message. */
  readonly question: string;
  /** Replies since then. */
  readonly turn: number;
  /** What tools have answered since then. */
  readonly answers: readonly string[];
  readonly messages: ChatCompletionRequest['messages'];
}
export type Script = (asked: Question) => Reply;

export interface FakeProvider {
  readonly url: string;
  stop(): Promise<void>;
}
/** Whom an example talks to. */
export interface Service {
  readonly provider: { readonly type: 'openai-compatible'; readonly apiKey: string; readonly baseUrl?: string };
  readonly model: string;
  stop(): Promise<void>;
}

/** A stand-in for the service on this machine: the OpenAI wire format over real HTTP, its answers from the script. */
export async function startFakeProvider(script: Script): Promise<FakeProvider> {
  const server = new LLMock({ port: 0, logLevel: 'silent' });
  server.on({ predicate: () => true }, ({ messages }) => {
    const { say, calls = [] } = script(questionIn(messages));
    if (calls.length === 0) return { content: say };
    const toolCalls = calls.map(({ name, input }, index) => ({
      id: `call_${messages.length}_${index}`,
      name,
      arguments: JSON.stringify(input),
    }));
    return { content: say, toolCalls };
  });
  await server.start();
  return { url: `${server.url}/v1`, stop: () => server.stop() };
}

/** The real service when there is a key (`OPENAI_API_KEY`, `OPENAI_BASE_URL`, `MODEL`), else a stand-in that plays the script. */
export async function serviceOr(script: Script): Promise<Service> {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl, MODEL: model = 'gpt-4o-mini' } = process.env;
  const type = 'openai-compatible';
  if (apiKey)
    return { provider: { type, apiKey, ...(baseUrl ? { baseUrl } : {}) }, model, stop: async () => undefined };
  console.log('No OPENAI_API_KEY: a scripted provider answers, over real HTTP.\n');
  const { url, stop } = await startFakeProvider(script);
  return { provider: { type, apiKey: 'no-key-needed', baseUrl: url }, model, stop };
}

function questionIn(messages: ChatCompletionRequest['messages']): Question {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const since = messages.slice(last + 1);
  return {
    instruction: textOf(messages.find(({ role }) => role === 'system')?.content),
    question: textOf(messages[last]?.content),
    turn: since.filter(({ role }) => role === 'assistant').length,
    answers: since.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content)),
    messages,
  };
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}
