import { AbortError, AgentError, type Tool, ToolNotFoundError, type ToolResultMessage, ValidationError } from '@x/core';
import { jsonText } from '@x/core/internal';
import { ToolExecutor } from '@x/executor';
import type { ToolRegistry } from '@x/registry';
import { createSession, memoryStore } from '@x/session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { createApp } from '../../src/index.ts';
import { profileOf } from '../support/hosted.ts';
import { McpWorld, RawClient } from '../support/mcp-clients.ts';
import { called, SECRET, served, toolsOf } from '../support/served.ts';
import { StdioClient } from '../support/stdio-client.ts';

const circle: Record<string, unknown> = {};
circle['self'] = circle;
const bodies: Readonly<Record<string, () => unknown>> = {
  'gives-text': () => 'a text, with "quotes"\nand lines',
  'gives-empty-text': () => '',
  'gives-object': () => ({ a: 1, list: [1, { b: null }], at: new Date(0) }),
  'gives-map': () =>
    new Map<string, object>([
      ['found', new Set([1])],
      ['failed', new TypeError('No such row')],
    ]),
  'gives-list': () => [1, 'two', { three: 3 }],
  'gives-number': () => 42,
  'gives-false': () => false,
  'gives-null': () => null,
  'gives-circle': () => circle,
  'fails-as-caller': () => {
    throw new ValidationError('the date is in the past', 'date');
  },
  'is-aborted': () => {
    throw new AbortError('stopped by itself');
  },
  'asks-for-another': () => {
    throw new ToolNotFoundError('Tool not found: another');
  },
  'fails-with-teapot': () => {
    throw new AgentError('no coffee', 'TEAPOT', 418);
  },
};

/** The outcome of a call: a value as JSON, or the code, the status and the words of an error. */
interface Outcome {
  readonly value?: unknown;
  readonly code?: unknown;
  readonly status?: unknown;
  readonly words?: unknown;
}
type Way = (name: string, input: object) => Promise<Outcome>;

const world = new McpWorld();
const ways: Record<string, Way> = {};
let tools: Tool[] = [];
const executor = new ToolExecutor({ timeout: 50 });
const registry: ToolRegistry = toolsOf(bodies, { invoke: executor.invoke });

beforeAll(async () => {
  registry.enable('is-off');
  tools = registry.tools(); // as they were when the session began
  registry.disable('is-off');
  const options = { registry, executor, production: true, secrets: [SECRET] };
  const http = await served(options);
  const mcp = await new RawClient(await world.serve(options)).begin();
  const stdio = await StdioClient.open(options);
  ways['POST /v1/tools/call'] = async (name, parameters) => {
    const answer = await called(http, { name, parameters });
    const { result, error, code } = answer.json();
    return answer.statusCode === 200 ? { value: result } : { code, status: answer.statusCode, words: error };
  };
  const app = createApp(options);
  const fetch = async (url: string | URL | Request, init?: RequestInit) => await app.request(url, init);
  const client = createClient({ baseUrl: 'http://localhost', fetch });
  ways['the typed client'] = async (name, input) => {
    try {
      return { value: await client.tools.call(name, input as Record<string, unknown>) };
    } catch (error) {
      const { code, statusCode, message } = error as AgentError; // safe: the client throws no others
      return { code, status: statusCode, words: message };
    }
  };
  ways['MCP over HTTP'] = async (name, input) => outcomeOf((await mcp.call(name, input)).json);
  ways['MCP over HTTP, with progress'] = async (name, input) => {
    const { text } = await mcp.call(name, input, { _meta: { progressToken: 1 } });
    return outcomeOf(JSON.parse(text.slice(text.lastIndexOf('data: ') + 6)));
  };
  ways['MCP over stdio'] = async (name, input) => outcomeOf(await stdio.ask('tools/call', { name, arguments: input }));
});
afterAll(async () => await world.end());

/** An answer to `tools/call`, in the fields that this looks at. */
interface CallAnswer {
  readonly error?: { readonly message: string; readonly data: Facts };
  readonly result?: {
    readonly content: readonly [{ readonly text: string }];
    readonly structuredContent?: unknown;
    readonly isError?: true;
    readonly _meta?: { readonly 'agent-sdk/error': Facts };
  };
}
interface Facts {
  readonly code: string;
  readonly statusCode: number;
}

function outcomeOf(answer: unknown): Outcome {
  const { result, error } = answer as CallAnswer; // safe: a field that is not there fails the test
  if (error) return { code: error.data.code, status: error.data.statusCode, words: error.message };
  const { content, structuredContent, isError, _meta } = result!; // it has one or the other
  const [{ text }] = content;
  if (!isError) return { value: structuredContent ?? text };
  const { code, statusCode } = _meta!['agent-sdk/error']; // likewise
  return { code, status: statusCode, words: text };
}

/** The result that a model in a session reads: a text, and whether it is an error. */
async function modelCall(name: string, input: object): Promise<Outcome> {
  const script = [{ toolCalls: [{ id: 'c', name, input }] }, { text: 'Done.' }];
  const session = await createSession({ ...profileOf(script, { tools }), store: memoryStore() });
  await session.send('Go.');
  const told = await Array.fromAsync(session.stream());
  await session.close();
  const answer = told.find(({ type }) => type === 'tool_result') as ToolResultMessage; // each call has one
  return answer.isError ? { words: answer.output } : { value: answer.output };
}

async function inProcess(name: string, input: object): Promise<Outcome> {
  try {
    const value = await registry.execute(name, input as Record<string, unknown>, { invoke: executor.invoke });
    return { value };
  } catch (error) {
    const { code, statusCode } = error as AgentError; // safe: the registry throws no others
    return { code, status: statusCode };
  }
}

describe('a call that succeeds', () => {
  it.each<[string, object, unknown, unknown]>([
    ['gives-text', {}, bodies['gives-text']!(), bodies['gives-text']!()],
    ['gives-empty-text', {}, '', ''],
    ['gives-object', {}, { a: 1, list: [1, { b: null }], at: '1970-01-01T00:00:00.000Z' }, undefined],
    ['gives-map', {}, { found: [1], failed: { name: 'TypeError', message: 'No such row' } }, undefined],
    ['gives-list', {}, [1, 'two', { three: 3 }], '[1,"two",{"three":3}]'],
    ['gives-number', {}, 42, '42'],
    ['gives-false', {}, false, 'false'],
    ['gives-null', {}, null, ''],
    ['gives-nothing', {}, undefined, ''],
    ['add-one', { a: 1 }, 2, '2'],
  ])('of %s with %j has the same value everywhere', async (name, input, value, asText = value) => {
    const json = (await inProcess(name, input)).value;
    const found = await Promise.all(
      Object.entries(ways).map(async ([way, call]) => [way, (await call(name, input)).value]),
    );

    expect(json === undefined ? undefined : JSON.parse(jsonText(json)!)).toEqual(value);
    expect(found).toEqual([
      ['POST /v1/tools/call', value],
      ['the typed client', value],
      ['MCP over HTTP', asText],
      ['MCP over HTTP, with progress', asText],
      ['MCP over stdio', asText],
    ]);
    expect(await modelCall(name, input)).toEqual({
      value: typeof asText === 'object' ? JSON.stringify(asText) : asText,
    });
  });
});

describe('a call that fails', () => {
  const hidden = 'Internal server error';

  // A model reads a text without a code, which names the tool and its cause: nothing is hidden from the host's own model.
  it.each<[string, object, string, number, string, string?]>([
    [
      'add-one',
      {},
      'VALIDATION_ERROR',
      400,
      'Required parameter missing: a',
      'Invalid input for add-one: Required parameter missing: a',
    ],
    [
      'add-one',
      { a: 'x' },
      'VALIDATION_ERROR',
      400,
      'Invalid type for parameter a: expected number',
      'Invalid input for add-one: Invalid type for parameter a: expected number',
    ],
    ['no-such-tool', {}, 'TOOL_NOT_FOUND', 404, 'Tool not found: no-such-tool', 'no-such-tool is not available'],
    ['is-off', { a: 1 }, 'TOOL_DISABLED', 403, 'Tool is disabled: is-off'],
    [
      'fails-foreign',
      {},
      'TOOL_EXECUTION_ERROR',
      500,
      'Tool execution failed: fails-foreign',
      `Tool execution failed: fails-foreign: at /home/me/${SECRET}`,
    ],
    ['fails-with-status', {}, 'UPSTREAM', 502, hidden, `upstream /etc/${SECRET}`],
    ['fails-with-teapot', {}, 'TEAPOT', 418, 'no coffee'],
    ['asks-for-another', {}, 'TOOL_NOT_FOUND', 404, 'Tool not found: another'],
    ['fails-as-caller', {}, 'VALIDATION_ERROR', 400, 'the date is in the past'],
    ['is-slow', {}, 'TIMEOUT', 408, 'Execution timeout after 50ms'],
    ['is-aborted', {}, 'ABORTED', 499, 'stopped by itself'],
  ])(
    'of %s with %j has the same code, status and words everywhere',
    async (name, input, code, status, words, toModel = words) => {
      const local = await inProcess(name, input);
      const found = await Promise.all(Object.entries(ways).map(async ([way, call]) => [way, await call(name, input)]));

      expect(local).toEqual({ code, status });
      for (const [, outcome] of found) expect(outcome).toEqual({ code, status, words });
      expect(found).toHaveLength(5);
      expect(await modelCall(name, input)).toEqual({ words: toModel });
    },
  );

  it.each(['gives-bigint', 'gives-circle'])(
    'of %s, whose result JSON cannot hold, fails wherever JSON is needed',
    async (name) => {
      const found = await Promise.all(Object.values(ways).map(async (call) => await call(name, {})));

      for (const outcome of found)
        expect(outcome).toEqual({ code: 'TOOL_EXECUTION_ERROR', status: 500, words: hidden });
      expect(await inProcess(name, {})).toHaveProperty('value'); // in this process it is no failure
    },
  );

  it('names all faults of its input to a model, where HTTP names the first', async () => {
    const local = toolsOf();
    const point = { type: 'number', description: 'a number', required: true } as const;
    const parameters = [
      { name: 'x', ...point },
      { name: 'y', ...point },
    ];
    local.register({ name: 'move', description: 'Moves', parameters }, async () => 1);
    const client = await new RawClient(await world.serve({ registry: local })).begin();

    const { json } = await client.call('move');

    expect(json.result.content[0].text).toBe('Required parameter missing: x; Required parameter missing: y');
  });

  it('is an error of the protocol for a tool that is not known, and a result for one that asks for such a tool', async () => {
    const client = await new RawClient(await world.serve({ registry })).begin();

    expect((await client.call('another')).json.error).toMatchObject({ code: -32_602 });
    expect((await client.call('asks-for-another')).json.result).toMatchObject({ isError: true });
  });

  it('H40 says of a call that took too long that its outcome is not known', async () => {
    const client = await new RawClient(await world.serve({ registry, executor })).begin();

    const [late, other] = [await client.call('is-slow'), await client.call('is-off')];

    expect(late.json.result._meta['agent-sdk/error']).toMatchObject({ statusCode: 408, outcome: 'unknown' });
    expect(other.json.result._meta['agent-sdk/error']).not.toHaveProperty('outcome');
  });

  it('says in production neither its words nor more than the id to ask with', async () => {
    const client = await new RawClient(await world.serve({ registry, production: true })).begin();
    const open = await new RawClient(await world.serve({ registry, production: false, secrets: [SECRET] })).begin();

    const { response, json, text } = await client.call('fails-with-status');

    expect(json.result._meta['agent-sdk/error']).toEqual({
      code: 'UPSTREAM',
      statusCode: 502,
      requestId: response.headers.get('x-request-id'),
    });
    expect(text).not.toContain('/etc');
    expect((await open.call('fails-with-status')).text).toContain('upstream /etc/[redacted]');
  });
});
