// 1,000 random histories of real sessions for each of five services, over HTTP, which refuse what the services are documented, or were seen, to
// refuse (rules.ts): unpaired results, missing thoughts, roles in a row, fields without tools. In a history messages with and without
// pictures are sent, some into a run, runs are aborted, conversations compacted, forked, resumed, and handed over to another service and back;
// tools succeed, fail, show pictures, and are called by names that do not exist. No request may be refused.
// Controls: requests without their results, or with the role of the one before, are refused.
// HISTORIES=1000 (for each service), FIRST=1 (the first seed)

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { startFakeProvider } from '../../../examples/fake-provider/fake-provider.ts';
import { type Rule, refusalOf, STRICT, type Wire } from '../../models/test/strict/rules.ts';
import { type Place, playHistory, SERVICES, type ServiceName } from './support/strict-histories.ts';
import { amountFrom, numberFrom, randomFrom, Tally } from './support/tally.ts';

const SEALED = 'The encrypted content could not be verified';
const HISTORIES = amountFrom('HISTORIES', 1000);
const FIRST = numberFrom('FIRST', 1);

const tally = new Tally();
const script = { random: randomFrom(FIRST) };
const provider = await startFakeProvider(({ messages }) => replyTo(messages.length));
const kinds = new Set<string>();

for (const name of Object.keys(SERVICES) as ServiceName[]) await oneService(name);
for (const kind of ['image', 'calls', 'thought'])
  tally.check(`histories with ${kind}`, kinds.has(kind) ? [] : ['none']);
controls();
await provider.stop();
tally.end();

async function oneService(name: ServiceName): Promise<void> {
  const strict = await strictServer();
  const sums = { requests: 0, refused: 0, aborted: 0, steered: 0, compacted: 0, handedOver: 0 };
  for (let seed = FIRST; seed < FIRST + HISTORIES; seed++) {
    const random = randomFrom(seed * 7 + name.length);
    script.random = random;
    strict.faults.length = 0;
    const told = await playHistory(name, { random, placeOf: strict.placeOf });
    for (const key of ['aborted', 'steered', 'compacted', 'handedOver'] as const) sums[key] += told[key];
    sums.refused += strict.faults.length;
    tally.check(`${name}, seed ${seed}`, [...strict.faults, ...told.errors]);
  }
  sums.requests = strict.requests();
  await strict.close();
  console.log(`${name}: ${HISTORIES} histories, ${JSON.stringify(sums)}`);
}

/** A reply of the scripted model: words, sometimes a thought before and calls after them. */
function replyTo(length: number) {
  const { random } = script;
  const think = random() < 0.4 ? { think: 'Hm. ' } : {};
  if (think.think) kinds.add('thought');
  const isLong = length > 40; // a run of any length ends
  if (random() < 0.5 || isLong) return { ...think, say: random() < 0.1 ? '' : 'So it is.' };
  kinds.add('calls');
  const calls = Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
    name: random() < 0.1 ? 'no_such_tool' : 'look',
    input: { at: random() < 0.3 ? 'a picture' : random() < 0.3 ? 'nothing' : 'a text' },
  }));
  return { ...think, say: random() < 0.5 ? '' : 'Let me see.', calls };
}

/** Passes on what no rule of the service is against; the first part of the path says which service it is for. */
async function strictServer() {
  const faults: string[] = [];
  let count = 0;
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const [, name = '', path = ''] = /^\/([a-z]+)(\/.*)$/.exec(request.url ?? '') ?? [];
    const body = await text(request);
    count += 1;
    if (body.includes('image')) kinds.add('image');
    const words = refusalOf(rulesOf(name as ServiceName), JSON.parse(body) as Wire); // safe: what an adapter writes is an object
    if (words !== undefined) {
      faults.push(`${name}: ${words}: ${body.slice(-600)}`);
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: words, type: 'invalid_request_error' } }));
      return;
    }
    const headers = { 'content-type': 'application/json', authorization: 'Bearer key', 'x-api-key': 'key' };
    const answer = await fetch(`${provider.origin}${path}`, { method: 'POST', headers, body });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    for await (const piece of answer.body!) response.write(piece);
    response.end();
  };
  const server = createServer((request, response) => {
    pass(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const placeOf = (name: ServiceName): Place => SERVICES[name].place(`${origin}/${name}`);
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close').catch(() => undefined);
  };
  return { faults, placeOf, close, requests: () => count };
}

/** The rules of a service; the stand-in seals thoughts with their own id. */
function rulesOf(name: ServiceName): readonly Rule[] {
  return STRICT[SERVICES[name].rules].map((rule) =>
    rule.words === SEALED
      ? {
          ...rule,
          breaks: ({ input }) =>
            (input as readonly Wire[]).some((item) => item['type'] === 'reasoning' && !isSealed(item)),
        }
      : rule,
  );
}

function isSealed({ id, encrypted_content: sealed }: Wire): boolean {
  return Buffer.from(String(sealed), 'base64')
    .toString()
    .endsWith(`:${String(id)}`);
}

function controls(): void {
  const asks = { role: 'assistant', content: null, reasoning_content: '', tool_calls: [{ id: 'abcdefghi' }] };
  const user = { role: 'user', content: 'a' };
  for (const name of ['openai', 'deepseek', 'mistral'] as const) {
    const words = refusalOf(STRICT[name], { messages: [user, asks, user] });
    tally.check(`control, ${name}: a call without its result`, words === undefined ? ['was taken'] : []);
  }
  const twice = { messages: [1, 2].map(() => ({ role: 'user', content: [{ type: 'text', text: 'a' }] })) };
  tally.check(
    'control, anthropic: a role twice',
    refusalOf(STRICT.anthropic, twice) === undefined ? ['was taken'] : [],
  );
  const foreign = {
    input: [{ type: 'reasoning', id: 'rs_1', encrypted_content: 'c2VhbDpyc18y' }, { role: 'assistant' }],
  };
  tally.check(
    'control, responses: a foreign seal',
    refusalOf(rulesOf('responses'), foreign) === SEALED ? [] : ['was taken'],
  );
  const open = { input: [{ type: 'function_call', call_id: 'c' }] };
  tally.check('control, responses: an open call', refusalOf(STRICT.responses, open) === undefined ? ['was taken'] : []);
}
