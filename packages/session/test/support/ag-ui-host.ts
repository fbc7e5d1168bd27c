import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunAgentInput } from '@ag-ui/core';
import { type AGUIEvent, answersTo, toAGUIStream } from '../../src/ag-ui/index.ts';
import type { ISession, SessionStore } from '../../src/index.ts';
import { read } from './makers.ts';

/** A host of one session, which `HttpAgent` talks to: it answers `resume`, sends what is new, or shows the last run to a page that begins. */
export async function agUiHost(session: ISession, store: SessionStore) {
  const { sessionId } = session;
  const told: AGUIEvent[] = [];
  let isRunning = Promise.resolve();
  const runIt = () => (isRunning = isRunning.then(() => read(session)).then(() => undefined));
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { messages, resume } = JSON.parse(body) as RunAgentInput; // sent by HttpAgent
    const last = messages.at(-1);
    const from = request.headers['last-event-id'];
    for (const { callId, answer } of answersTo(resume)) await session.answer(callId, answer);
    const options: { store: SessionStore; sessionId: string; from?: string; messageId?: string } = { store, sessionId };
    if (resume && typeof from === 'string') options.from = from;
    else if (last?.role === 'user') options.messageId = (await session.send(last.content as string)).messageId; // text here
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (last?.role === 'user' || resume) void runIt();
    for await (const event of toAGUIStream(options)) {
      told.push(event);
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    }
    response.end();
  };
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error)); // an error of ours
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens
  const close = async () => {
    await isRunning;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}/`, told, close };
}
