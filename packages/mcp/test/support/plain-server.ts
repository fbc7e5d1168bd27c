import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';

/** What a test decides about a server. */
export interface PlainServerOptions {
  readonly tools?: readonly unknown[];
  /** A file to which a line is added for each event that a test looks for. */
  readonly journal?: string;
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

/** A real server, made with the official SDK, whose tools do what tests need. */
export function plainServer({ tools = TOOLS, journal }: PlainServerOptions = {}): Server {
  const server = new Server(
    { name: 'plain', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true }, resources: {}, prompts: {}, logging: {} } },
  );
  let list = tools;
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
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [{ uri: 'mem://a', name: 'a' }] }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => ({ contents: [{ uri, text: 'A' }] }));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [{ name: 'hello' }] }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params: { name, arguments: values } }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `${name} ${values?.['who']}` } }],
  }));
  return server;
}

async function ask(server: Server, { what, level = 'info' }: Readonly<Record<string, unknown>>): Promise<unknown> {
  if (what === 'roots') return (await server.listRoots()).roots;
  if (what === 'capabilities') return server.getClientCapabilities();
  if (what === 'log') {
    const entry = { level: level as 'info', logger: 'plain', data: { a: 1 } }; // safe: tests write levels
    return await server.notification({ method: 'notifications/message', params: entry }); // whatever level was asked for
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
