// tools/call over streamable HTTP next to the official SDK's server in the same run; then clients that open 10,000 conversations, that never
// read their event streams, and that follow a tool which never stops talking: the memory stays flat.
// alone: it compares processor times
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { numberFrom, Tally } from '../../session/verify/support/tally.ts';
import { INITIALIZE } from '../test/support/mcp-clients.ts';

const CALLS = numberFrom('MCP_CALLS', 3_000);
const ROUNDS = 5;
const CLIENTS = 8;
const SESSIONS = 10_000;
const STALLED = 200;
const MOST_OF_SESSIONS_MB = 1.5;
/** A hundred texts of a kilobyte wait for each of the fifty that follow a call. */
const MOST_OF_STALLED_MB = 10;
const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
const tally = new Tally();
const child = fork(fileURLToPath(new URL('./support/mcp-servers.ts', import.meta.url)));
const names = ['ours', 'sdk', 'sdkJson', 'plain'] as const;
type Name = (typeof names)[number];
const [ports] = (await once(child, 'message')) as [Record<Name | 'roomy', number>];
const CALL = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'add-one', arguments: { a: 1 } },
});

await compare();
await flood();
agent.destroy();
child.kill();
tally.end();

async function compare(): Promise<void> {
  const sessions = new Map<Name, string>();
  for (const name of names) {
    sessions.set(name, (await sent(ports[name], JSON.stringify(INITIALIZE))).session);
    await load(name, sessions.get(name)!, CALLS / 2); // just set
  }
  const found = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of names) found.get(name)!.push(await load(name, sessions.get(name)!, CALLS)); // both have every name
  }
  const median = (name: Name) => found.get(name)!.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)]!; // there are some
  const [ours, sdk, sdkJson, plain] = [median('ours'), median('sdk'), median('sdkJson'), median('plain')];
  const figures = { ours, 'SDK, stateful': sdk, 'SDK, stateful, JSON': sdkJson, 'node:http': plain };
  for (const [name, value] of Object.entries(figures)) {
    console.log(
      `processor time of tools/call: ${name} ${value.toFixed(1)} µs, ${(value / plain).toFixed(1)} of node:http`,
    );
  }
  tally.check('at most the stateful server of the SDK', ours <= sdk ? [] : [`${ours} µs, ${sdk} µs`]);
}

async function flood(): Promise<void> {
  const { ours, roomy } = ports;
  const initialize = JSON.stringify(INITIALIZE);
  const open = async (count: number, port = ours) => {
    let left = count;
    const statuses = new Set<number>();
    const each = async () => {
      for (; left > 0; left -= 1) statuses.add((await sent(port, initialize)).status);
    };
    await Promise.all(Array.from({ length: CLIENTS }, each));
    return [...statuses];
  };
  await open(2_000); // the table is full, and what is compiled once is compiled
  const before = await asked('memory');
  const statuses = await open(SESSIONS);
  const conversations = (await asked('memory')) - before;
  console.log(`${SESSIONS} conversations: the memory has grown by ${conversations.toFixed(1)} MB`);
  tally.check('conversations are opened', statuses.join() === '200' ? [] : statuses.map(String));
  tally.check('flat with 10,000 conversations', conversations < MOST_OF_SESSIONS_MB ? [] : [`${conversations} MB`]);

  const empty = await asked('memory');
  await open(SESSIONS, roomy);
  const unbounded = (await asked('memory')) - empty;
  console.log(`the same with room for a million: ${unbounded.toFixed(1)} MB`);
  tally.check('negative control: room for all of them', unbounded > 2 * MOST_OF_SESSIONS_MB ? [] : [`${unbounded} MB`]);

  const { session } = await sent(ours, initialize);
  const sockets = await Promise.all(Array.from({ length: STALLED }, async (_, n) => await stalled(n, session)));
  const loaded = await asked('memory');
  for (let round = 0; round < 20; round += 1) {
    await asked('change');
    await new Promise((resolve) => setTimeout(resolve, 150)); // longer than notices wait
  }
  const grown = (await asked('memory')) - loaded;
  const said = await asked('said');
  console.log(
    `${STALLED} clients that never read ${said.toFixed(0)} MB: the memory has grown by ${grown.toFixed(1)} MB`,
  );
  tally.check('negative control: there is much to read', said > 20 * MOST_OF_STALLED_MB ? [] : [`${said} MB`]);
  tally.check('flat with clients that never read', grown < MOST_OF_STALLED_MB ? [] : [`${grown} MB`]);
  const answer = await sent(ours, CALL, session);
  tally.check('a normal client is served meanwhile', answer.text.includes('"2"') ? [] : [answer.text]);
  for (const socket of sockets) socket.destroy();
}

/** A client that opens an event stream, or follows a call that talks without end, and never reads. */
async function stalled(n: number, session: string): Promise<Socket> {
  const own = n % 4 === 0 ? session : (await sent(ports.ours, JSON.stringify(INITIALIZE))).session;
  const socket = connect(ports.ours, '127.0.0.1').pause();
  socket.on('error', () => undefined); // the server may give it up
  await once(socket, 'connect');
  const head = `Host: 127.0.0.1:${ports.ours}\r\nAuthorization: Bearer secret\r\nMcp-Session-Id: ${own}\r\nAccept: application/json, text/event-stream\r\n`;
  if (n % 4 !== 0) socket.write(`GET /mcp HTTP/1.1\r\n${head}\r\n`);
  else {
    const params = { name: 'chats', _meta: { progressToken: n } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: `chat ${n}`, method: 'tools/call', params });
    const length = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    socket.write(`POST /mcp HTTP/1.1\r\n${head}${length}\r\n${body}`);
  }
  return socket;
}

/** Microseconds that a call takes of the processor of the servers: what others do on this machine is not in them. */
async function load(name: Name, session: string, calls: number): Promise<number> {
  let left = calls;
  const before = await asked('cpu');
  const each = async () => {
    for (let id = 1; left > 0; left -= 1, id += 1) {
      const { text } = await sent(ports[name], CALL.replace('"id":1', `"id":"${id} ${Math.random()}"`), session);
      if (!text.includes('"2"')) throw new Error(text);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, each));
  return ((await asked('cpu')) - before) / calls;
}

async function asked(what: 'cpu' | 'memory' | 'change' | 'said'): Promise<number> {
  child.send(what);
  const [value] = (await once(child, 'message')) as [number];
  return value;
}

async function sent(port: number, body: string, session?: string) {
  const headers = {
    'content-type': 'application/json',
    'content-length': body.length,
    accept: 'application/json, text/event-stream',
    authorization: 'Bearer secret',
    'mcp-protocol-version': '2025-11-25',
    ...(session === undefined ? {} : { 'mcp-session-id': session }),
  };
  const sending = request({ port, host: '127.0.0.1', method: 'POST', path: '/mcp', agent, headers });
  sending.end(body);
  const [answer] = (await once(sending, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return { status: answer.statusCode ?? 0, text, session: String(answer.headers['mcp-session-id']) };
}
