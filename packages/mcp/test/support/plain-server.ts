import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  type Tool,
  UnsubscribeRequestSchema,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/sdk/types.js';

/** What a test decides about a server. */
export interface PlainServerOptions {
  readonly tools?: readonly unknown[];
  /** A file to which a line is added for each event that a test looks for. */
  readonly journal?: string;
  /** `mem://a`, and so many more; false: it has no resources. */
  readonly resources?: number | false;
  /** Default: `hello`, about somebody. False: it has no prompts. */
  readonly prompts?: readonly unknown[] | false;
  /** It takes subscriptions to resources, and proposes values. */
  readonly more?: boolean;
}

const object = { type: 'object' } as const;
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const TOOLS: readonly unknown[] = [
  { name: 'echo', description: 'Says it again.', inputSchema: { ...object, properties: { text: { type: 'string' } } } },
  { name: 'fail', description: 'Fails.', inputSchema: object },
  { name: 'picture', description: 'Shows.', inputSchema: object, annotations: { readOnlyHint: true } },
  { name: 'place', description: 'Where it runs.', inputSchema: object },
  { name: 'wait', description: 'Waits for an end.', inputSchema: object },
  { name: 'steps', description: 'Counts.', inputSchema: object },
  { name: 'change', description: 'Changes the list.', inputSchema: object },
  { name: 'exit', description: 'Ends the process.', inputSchema: object },
  { name: 'child', description: 'Starts a process.', inputSchema: object },
  { name: 'ask', description: 'Asks the host.', inputSchema: object },
];

const MORE_TOOLS: readonly unknown[] = [
  { name: 'touch', description: 'Says that resources were updated.', inputSchema: object },
  { name: 'gate', description: 'Needs the user to open addresses first.', inputSchema: object },
];

const PROMPTS: readonly unknown[] = [
  { name: 'hello', description: 'Greets\u200b.', arguments: [{ name: 'who', required: true }, { name: 'how' }] },
];

/** A real server, made with the official SDK, whose tools do what tests need. */
export function plainServer(options: PlainServerOptions = {}): Server {
  const { journal, resources = 0, prompts = PROMPTS, more = false } = options;
  const { tools = more ? [...TOOLS, ...MORE_TOOLS] : TOOLS } = options;
  const capabilities = {
    tools: { listChanged: true },
    logging: {},
    ...(resources === false ? {} : { resources: { subscribe: more } }),
    ...(prompts === false ? {} : { prompts: {} }),
    ...(more ? { completions: {} } : {}),
  };
  const server = new Server({ name: 'plain', version: '1.0.0' }, { capabilities });
  let list = tools;
  const state = { gated: 0 };
  const note = (line: string) => journal && appendFileSync(journal, `${line}\n`);
  server.setRequestHandler(ListToolsRequestSchema, () => {
    note('list');
    return { tools: list as Tool[] };
  });
  const change = async (next: readonly unknown[], times = 1) => {
    list = next;
    for (let count = 0; count < times; count += 1) await server.sendToolListChanged();
  };
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: given = {} } }, extra) => {
    note(`call ${name}`);
    if (name === 'echo') return texts(String(given['text']));
    if (name === 'fail') return { ...texts('it failed'), isError: true };
    if (name === 'place') return texts(JSON.stringify({ env: process.env, cwd: process.cwd(), pid: process.pid }));
    if (name === 'exit') process.exit(7);
    if (name === 'ask') return texts(JSON.stringify((await ask(server, given)) ?? null));
    if (name === 'child') return texts(String(startChild()));
    if (name === 'touch') return await touch(server, given);
    if (name === 'gate') return gate(given, note, state);
    if (name === 'picture') {
      const image = { type: 'image' as const, data: PIXEL, mimeType: 'image/png' };
      return { content: [image], structuredContent: { width: 1 } };
    }
    if (name === 'change') {
      const { times, ...tool } = given as { times?: number };
      await change([...tools.filter((one) => (one as Tool).name !== (tool as Tool).name), tool], times);
      return texts('changed');
    }
    if (name === 'wait') {
      await new Promise<void>((resolve) => extra.signal.addEventListener('abort', () => resolve(), { once: true }));
      note('cancelled');
      return texts('never read');
    }
    const progressToken = extra._meta?.progressToken;
    for (const progress of [1, 2]) {
      const params = { progressToken: progressToken!, progress, total: 2, message: `step ${progress}` };
      await extra.sendNotification({ method: 'notifications/progress', params });
    }
    return texts('done');
  });
  server.setRequestHandler(SetLevelRequestSchema, ({ params: { level } }) => {
    note(`level ${level}`);
    return {};
  });
  if (resources !== false) addResources(server, resources);
  if (prompts !== false) addPrompts(server, prompts);
  if (more) addMore(server, { note, journal });
  return server;
}

interface Noted {
  readonly note: (line: string) => unknown;
  readonly journal: string | undefined;
}

function addMore(server: Server, { note, journal }: Noted): void {
  server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }) => {
    const isKnown = journal !== undefined && readFileSync(journal, 'utf8').includes(`subscribe ${uri}\n`);
    note(`subscribe ${uri}`);
    if (uri === 'mem://none' || (uri === 'mem://once' && isKnown)) throw new Error('there is no such resource');
    return {};
  });
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) => {
    note(`unsubscribe ${uri}`);
    return {};
  });
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: 'mem://{name}', name: 'named' }],
  }));
  server.setRequestHandler(CompleteRequestSchema, ({ params: { ref, argument, context } }) => {
    const of = ref.type === 'ref/prompt' ? ref.name : ref.uri;
    if (argument.value === 'many')
      return { completion: { values: Array(100).fill('x'.repeat(10)), total: 500, hasMore: true } };
    return { completion: { values: [[of, argument.name, argument.value, JSON.stringify(context ?? {})].join(' ')] } };
  });
}

async function touch(server: Server, { uri, times = 1 }: Readonly<Record<string, unknown>>) {
  for (let count = 0; count < Number(times); count += 1) await server.sendResourceUpdated({ uri: String(uri) });
  return texts('touched');
}

/** Refuses the first `times` calls until the user has opened addresses. */
function gate(
  { times = 1, url = 'https://example.com/sign-in' }: Readonly<Record<string, unknown>>,
  note: (line: string) => unknown,
  state: { gated: number },
) {
  note('gate');
  state.gated += 1;
  if (state.gated > Number(times)) return texts('open');
  const message = 'Sign in\u200b.';
  throw new UrlElicitationRequiredError([{ mode: 'url', elicitationId: 'e1', url: String(url), message }]);
}

function addResources(server: Server, count: number): void {
  const more = Array.from({ length: count }, (_, index) => ({ uri: `mem://${index}`, name: `number ${index}` }));
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [{ uri: 'mem://a', name: 'a' }, ...more] }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    if (uri === 'mem://none') throw new Error('there is no such resource');
    if (uri === 'mem://picture') return { contents: [{ uri, blob: PIXEL, mimeType: 'image/png' }] };
    if (uri === 'mem://large') return { contents: [{ uri, text: 'x'.repeat(3_000_000) }] };
    if (uri !== 'mem://two') return { contents: [{ uri, text: 'A' }] };
    return { contents: ['mem://1', 'mem://2'].map((one) => ({ uri: one, text: one.slice(-1) })) };
  });
}

function addPrompts(server: Server, prompts: readonly unknown[]): void {
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: prompts as { name: string }[] })); // safe: tests write them
  server.setRequestHandler(GetPromptRequestSchema, ({ params: { name, arguments: values = {} } }) => {
    if (name === 'exit') process.exit(7);
    if (name === 'fail') throw new Error('the index is locked');
    const said = (text: string, role: 'user' | 'assistant' = 'user') => ({
      role,
      content: { type: 'text' as const, text },
    });
    if (name === 'talk') return { messages: [said('Hello\u200b.'), said('Hi.', 'assistant'), said('How are you?')] };
    if (name === 'empty') return { messages: [said(' ')] };
    if (name === 'long') return { messages: [said('x'.repeat(300_000))] };
    const picture = { type: 'image' as const, data: PIXEL, mimeType: 'image/png' };
    if (name === 'picture') return { messages: [said('Look.'), { role: 'user', content: picture }] };
    return { messages: [said([name, ...Object.entries(values).map((entry) => entry.join('='))].join(' '))] };
  });
}

async function ask(server: Server, { what, level = 'info', url }: Readonly<Record<string, unknown>>): Promise<unknown> {
  if (what === 'roots') return (await server.listRoots()).roots;
  if (what === 'capabilities') return server.getClientCapabilities();
  if (what === 'log') {
    const entry = { level: level as 'info', logger: 'plain', data: { a: 1 } }; // safe: tests write levels
    return await server.notification({ method: 'notifications/message', params: entry }); // whatever level was asked for
  }
  if (what === 'elicit-url') {
    return await server.elicitInput({ mode: 'url', message: 'Sign in.', elicitationId: 'e2', url: String(url) });
  }
  if (what === 'elicit') {
    const requestedSchema = { type: 'object' as const, properties: { colour: { type: 'string' as const } } };
    return await server.elicitInput({ message: 'Which colour?', requestedSchema });
  }
  const content = { type: 'text' as const, text: 'Say hi.' };
  return await server.createMessage({ messages: [{ role: 'user', content }], maxTokens: 10 });
}

function texts(text: string) {
  return { content: [{ type: 'text' as const, text }] };
}

/** A process that does not care about SIGTERM. */
function startChild(): number | undefined {
  const script = "process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1_000);";
  return spawn(process.execPath, ['-e', script], { stdio: 'ignore' }).pid;
}
