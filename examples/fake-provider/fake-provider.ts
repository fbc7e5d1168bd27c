import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';

/** What the scripted model says and, perhaps, does in one turn. */
export interface Reply {
  readonly think?: string;
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
/** How fast the scripted model answers; without one, at once. */
export interface Pace {
  readonly firstWordMs: number;
  readonly wordsPerSecond: number;
}

export interface FakeProvider {
  /** For OpenAI chat completions and responses. */
  readonly url: string;
  /** For Anthropic, Gemini and Azure, whose clients add the rest. */
  readonly origin: string;
  /** What was asked, in order of arrival. */
  paths(): readonly string[];
  stop(): Promise<void>;
}
/** Whom an example talks to. */
export interface Service {
  readonly provider: { readonly type: 'openai-compatible'; readonly apiKey: string; readonly baseUrl?: string };
  readonly model: string;
  stop(): Promise<void>;
}

/** Characters of an average word, with its space. */
const WORD_LENGTH = 6;

/** A stand-in for the services on this machine: all their wire formats over real HTTP, the answers from the script. */
export async function startFakeProvider(script: Script, pace?: Pace): Promise<FakeProvider> {
  const server = new LLMock({ port: 0, logLevel: 'silent' });
  const answer = ({ messages }: ChatCompletionRequest) => {
    const { think, say, calls = [] } = script(questionIn(messages));
    const usage = { input_tokens: lengthOf(messages), output_tokens: lengthOf([say, calls]) };
    const said = { content: say, usage, ...(think === undefined ? {} : { reasoning: think }) };
    if (calls.length === 0) return said;
    const toolCalls = calls.map(({ name, input }, index) => ({
      id: `call_${messages.length}_${index}`,
      name,
      arguments: JSON.stringify(input),
    }));
    return { ...said, toolCalls };
  };
  const streamingProfile = pace && { ttft: pace.firstWordMs, tps: pace.wordsPerSecond };
  server.on({ predicate: () => true }, answer, streamingProfile && { streamingProfile, chunkSize: WORD_LENGTH });
  await server.start();
  return {
    url: `${server.url}/v1`,
    origin: server.url,
    paths: () => server.getRequests().map(({ path }) => path),
    stop: () => server.stop(),
  };
}

/** The real service when there is a key (`OPENAI_API_KEY`, `OPENAI_BASE_URL`, `MODEL`), else a stand-in that plays the script. */
export async function serviceOr(script: Script, pace?: Pace): Promise<Service> {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl, MODEL: model = 'gpt-4o-mini' } = process.env;
  const type = 'openai-compatible';
  if (apiKey)
    return { provider: { type, apiKey, ...(baseUrl ? { baseUrl } : {}) }, model, stop: async () => undefined };
  console.log('No OPENAI_API_KEY: a scripted provider answers, over real HTTP.\n');
  const { url, stop } = await startFakeProvider(script, pace);
  return { provider: { type, apiKey: 'no-key-needed', baseUrl: url }, model, stop };
}

function questionIn(messages: ChatCompletionRequest['messages']): Question {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const since = messages.slice(last + 1);
  return {
    instruction: textOf(messages.find(({ role }) => role === 'system')?.content),
    question: textOf(messages[last]?.content),
    turn: since.filter(({ role }) => role === 'assistant').length,
    answers: since.filter(({ role }) => role === 'tool').map(({ content }) => answerIn(textOf(content))),
    messages,
  };
}

/** Gemini is told what a tool has said as the member of an object. */
function answerIn(text: string): string {
  return text.startsWith('{"output":') ? (JSON.parse(text) as { readonly output: string }).output : text;
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}

/** A token for every four characters, more or less. */
function lengthOf(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}
