import { defineTool, type Message, objectSchema, toolUsesOf } from '@x/core';
import { createModel, type ProviderConfig } from '@x/models';
import { type WireServer, wireServer } from '@x/models/testing';

const apiKey = 'key';
/** The four wire formats. */
export const APIS: readonly {
  readonly name: string;
  readonly config: (url: string) => ProviderConfig;
  readonly model: string;
}[] = [
  { name: 'chat', config: (url) => ({ type: 'openai-compatible', apiKey, baseUrl: `${url}/v1` }), model: 'some-model' },
  {
    name: 'responses',
    config: (url) => ({ type: 'openai-compatible', apiKey, baseUrl: `${url}/v1`, api: 'responses' }),
    model: 'gpt-5',
  },
  { name: 'anthropic', config: (url) => ({ type: 'anthropic', apiKey, baseUrl: url }), model: 'claude-sonnet-4-5' },
  { name: 'gemini', config: (url) => ({ type: 'gemini', apiKey, baseUrl: url }), model: 'gemini-3-pro-preview' },
];

/** What the four services would be sent of a conversation. Nothing is asked: a loopback server refuses every request. */
export class ProviderRequests {
  readonly #server: WireServer;
  readonly #models: readonly { readonly name: string; readonly model: ReturnType<typeof createModel> }[];
  readonly #tool = defineTool({
    name: 'work',
    description: 'Works.',
    inputSchema: objectSchema({ tag: { type: 'string', description: 'Which.' } }),
    execute: async () => '',
  });

  private constructor(server: WireServer) {
    this.#server = server;
    this.#models = APIS.map(({ name, config, model }) => ({ name, model: createModel(config(server.url), model) }));
  }

  static async open(): Promise<ProviderRequests> {
    const headers = { 'content-type': 'application/json' };
    return new ProviderRequests(await wireServer({ status: 400, headers, body: '{"error":{"message":"not today"}}' }));
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  /** What is wrong with the requests made of these messages, which should hold what `expected` holds. */
  async faultsOf(messages: readonly Message[], expected: readonly Message[] = messages): Promise<string[]> {
    const faults: string[] = [];
    for (const { name, model } of this.#models) {
      const before = this.#server.requests.length;
      const { signal } = new AbortController();
      const request = { instruction: 'Work.', messages, tools: [this.#tool], signal };
      const failure = await drained(model.stream(request));
      const sent = this.#server.requests.slice(before);
      if (sent.length === 0) faults.push(`${name}: no request was made: ${String(failure)}`);
      for (const { body } of sent.slice(0, 1))
        faults.push(...faultsIn(body, expected).map((fault) => `${name}: ${fault}`));
    }
    return faults;
  }
}

async function drained(stream: AsyncGenerator<unknown, unknown, void>): Promise<unknown> {
  try {
    for await (const _ of stream) continue;
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Every call and every result is there once, the results behind their calls, and nothing is empty. */
function faultsIn(body: string, messages: readonly Message[]): string[] {
  const uses = messages.flatMap((message) => (message.role === 'assistant' ? toolUsesOf(message) : []));
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
  const faults: string[] = [];
  for (const { id } of uses) {
    const times = body.split(`in-${id}-`).length - 1;
    if (times !== 1) faults.push(`call ${id} is there ${times} times`);
  }
  for (const { toolUseId, output } of results) {
    const times = output.startsWith('out-') ? body.split(`out-${toolUseId}-`).length - 1 : 1;
    if (times !== 1) faults.push(`the result of ${toolUseId} is there ${times} times`);
  }
  const parts = partsOf(JSON.parse(body));
  if (parts.calls !== uses.length) faults.push(`${parts.calls} calls instead of ${uses.length}`);
  if (parts.results !== results.length) faults.push(`${parts.results} results instead of ${results.length}`);
  if (parts.empty > 0) faults.push(`${parts.empty} empty parts`);
  return faults;
}

interface Parts {
  calls: number;
  results: number;
  empty: number;
}

/** Counts what each of the four formats calls a call and a result, wherever it stands. */
function partsOf(value: unknown, parts: Parts = { calls: 0, results: 0, empty: 0 }): Parts {
  if (typeof value !== 'object' || value === null) return parts;
  const record = value as Readonly<Record<string, unknown>>; // safe: an object, read by name only
  const { type, role } = record;
  if (type === 'function_call' || type === 'tool_use' || (type === 'function' && record['id'] !== undefined))
    parts.calls += 1;
  if (Object.hasOwn(record, 'functionCall')) parts.calls += 1;
  if (type === 'function_call_output' || type === 'tool_result' || role === 'tool') parts.results += 1;
  if (Object.hasOwn(record, 'functionResponse')) parts.results += 1;
  if (['content', 'parts'].some((key) => Array.isArray(record[key]) && record[key].length === 0)) parts.empty += 1;
  for (const inner of Object.values(record)) partsOf(inner, parts);
  return parts;
}
