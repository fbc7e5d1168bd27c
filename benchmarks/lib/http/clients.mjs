import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';

const CALL = JSON.stringify({ name: 'add-one', parameters: { a: 1 } });
const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' };

/** So many calls by 16 clients, each over a connection that stays. @throws when an answer is another than it should be */
export async function callAll(port, calls) {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  let left = calls;
  const each = async () => {
    for (; left > 0; left -= 1) await call(port, agent);
  };
  await Promise.all(Array.from({ length: 16 }, each));
  agent.destroy();
}

async function call(port, agent) {
  const sent = request({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/v1/tools/call',
    agent,
    headers: { ...headers, 'content-length': CALL.length },
  });
  sent.end(CALL);
  const [answer] = await once(sent, 'response');
  let text = '';
  for await (const chunk of answer) text += chunk;
  if (answer.statusCode !== 200 || !text.includes('"result":2')) throw new Error(`${answer.statusCode} ${text}`);
}

/** A session, by its path. */
export async function madeSession(port) {
  const made = await fetch(`http://127.0.0.1:${port}/v1/sessions`, { method: 'POST', headers, body: '{}' });
  return `/v1/sessions/${(await made.json()).sessionId}`;
}

export async function say(port, path) {
  const body = JSON.stringify({ text: 'Begin.' });
  const sent = await fetch(`http://127.0.0.1:${port}${path}/messages`, { method: 'POST', headers, body });
  if (sent.status !== 202) throw new Error(`${sent.status} ${await sent.text()}`);
}

/** A reader of events; `run` resolves with the number of them up to the end of the next run. */
export async function reader(port, path) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let end = Promise.withResolvers();
  let rest = '';
  let events = 0;
  socket.setEncoding('latin1').on('data', (text) => {
    rest += text;
    const frames = rest.split('\n\n');
    rest = frames.pop();
    for (const frame of frames) {
      if (frame.includes('\ndata: ')) events += 1;
      if (!frame.includes('"type":"result"')) continue;
      end.resolve(events);
      end = Promise.withResolvers();
      events = 0;
    }
  });
  socket.on('error', (error) => end.reject(error));
  socket.write(`GET ${path}/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer secret\r\n\r\n`);
  return { run: () => end.promise, socket };
}
