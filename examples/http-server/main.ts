// Tools and sessions over HTTP: a server with a token, and a client that is answered and refused.
import { memoryStore } from '@x/agent-sdk';
import { serve, type ToolCallResponse } from '@x/agent-sdk/http';
import { sessionHost } from '@x/agent-sdk/http/sessions';
import { serviceOr } from 'fake-provider';
import { orderAgent, script } from './agent.ts';
import { talk } from './talk.ts';
import { registry } from './tools.ts';

/** The fields of all answers. */
interface Answer extends ToolCallResponse {
  readonly tools?: readonly { readonly name: string }[];
  readonly results?: readonly { readonly name: string }[];
  readonly paths?: object;
}

const token = crypto.randomUUID();
const { stop, ...service } = await serviceOr(script);
const store = memoryStore(); // sqliteStore(), so that the next server goes on with what this one was running
const sessions = sessionHost({ store, profiles: { orders: orderAgent(service) } });
const server = await serve({ registry, sessions, inspector: true, token, port: 0, logLevel: 'fatal' });

/** Sends a request as any client does, and prints the answer. */
async function ask(what: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<void> {
  const answer = await fetch(`${server.url}${path}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  });
  const { tools, results, result, error, code, paths } = (await answer.json()) as Answer;
  const names = (tools ?? results)?.map(({ name }) => name).join(', ');
  const shown = names ?? code ?? JSON.stringify(result) ?? Object.keys(paths ?? {}).join(' ');
  console.log(`${what}: ${answer.status} ${shown}${error ? `: ${error}` : ''}`);
}

await ask('list', '/v1/tools?tag=shop');
await ask('search', '/v1/tools/search', { query: 'how many items' });
await ask('call', '/v1/tools/call', { name: 'count-stock', parameters: { item: 'lamp' } });
await ask('the old path', '/tools/call', { name: 'count-stock', parameters: { item: 'desk' } });
await ask('a wrong parameter', '/v1/tools/call', { name: 'count-stock', parameters: { item: 7 } });
await ask('a disabled tool', '/v1/tools/call', { name: 'clear-stock' });
await ask('an unknown tool', '/v1/tools/call', { name: 'sell-everything' });
await ask('10 ms are too few', '/v1/tools/call', { name: 'wait-for-delivery', options: { timeout: 10 } });
await ask('no token', '/v1/tools', undefined, { authorization: '' });
await ask('a page of another site', '/v1/tools', undefined, { origin: 'https://evil.example' });
await ask('another type', '/v1/tools/call', { name: 'count-stock' }, { 'content-type': 'text/plain' });
await ask('the document', '/openapi.json');
for (const page of ['/docs', '/inspector']) {
  const { status, headers } = await fetch(server.url + page); // for people: they ask for the token themselves
  console.log(`the page ${page}: ${status} ${headers.get('content-type')}`);
}

console.log('');
await talk(server.url, token);

await server.close();
await store[Symbol.asyncDispose]();
await stop();
console.log('closed');
