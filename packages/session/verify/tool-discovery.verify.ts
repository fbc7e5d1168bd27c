// 2,000 tools on 40 servers, over the four wire formats: in 20 turns the model searches ten times and calls what it has found. Every
// request must begin with the bytes of the one before, tools and messages, and its tools must be less than 5 % of what all definitions
// would be. Over the two formats whose services search by themselves the same with `by: 'service'`: what is not deferred must be less than
// 5 %, and no byte of the definitions may change. Then the labelled queries of benchmarks/search through the search tool: the wanted tool must be among the first five as often
// as minisearch finds it, at least. Controls: requests that send all tools, a request whose tools grow, and a search by shared words.

import { scriptedModel } from '@x/core/testing';
import MiniSearch from 'minisearch';
import { startFakeProvider } from '../../../examples/fake-provider/fake-provider.ts';
import { createSession, memoryStore, type SessionOptions } from '../src/index.ts';
import { labelledServers, QUERIES, serverOf, TOOLS } from './support/labelled-servers.ts';
import { APIS } from './support/provider-requests.ts';
import { recordingProxy } from './support/recording-proxy.ts';
import { Tally } from './support/tally.ts';

const LOADS = 10;
const MOST_SHARE = 0.05;

const tally = new Tally();
const nameOf = (place: number) => `mcp__${serverOf(place)}__${TOOLS[place]!.name}`;
const wanted = Array.from({ length: LOADS }, (_, load) => load * 7);

for (const api of APIS) await oneApi(api);
const searching = new Map([
  ['responses', 'gpt-5.4'],
  ['anthropic', 'claude-sonnet-4-5'],
]);
for (const { name, config } of APIS) {
  const model = searching.get(name);
  if (model !== undefined) await byService({ name, config, model });
}
await quality();
tally.end();

async function oneApi({ name, config, model }: (typeof APIS)[number]): Promise<void> {
  const service = await startFakeProvider(({ answers: { length: turn } }) => {
    const place = wanted[Math.floor(turn / 2)];
    if (place === undefined) return { say: 'Done.' };
    const found = turn % 2 === 1;
    const call = found
      ? { name: 'CallTool', input: { name: nameOf(place), input: { id: '7' } } }
      : { name: 'ToolSearch', input: { query: TOOLS[place]!.description.slice(0, 80) } };
    return { say: 'Next.', calls: [call] };
  });
  const proxy = await recordingProxy(service.origin);
  const requests = async (toolDiscovery: 'auto' | 'off') => {
    proxy.bodies.length = 0;
    const provider = config(proxy.url);
    const outputs = await answersOf({ provider, model, toolDiscovery });
    return { bodies: proxy.bodies.map(partsOf), outputs };
  };
  const found = await requests('auto');
  const all = await requests('off');
  await proxy.close();
  await service.stop();

  const share = found.bodies[0]!.tools.length / all.bodies[0]!.tools.length;
  const served = (100 * share).toFixed(1);
  console.log(`${name}: ${found.bodies.length} requests, tools of ${found.bodies[0]!.tools.length} bytes, ${served} %`);
  tally.check(`${name}, calls`, unanswered(found.outputs));
  tally.check(`${name}, turns`, found.bodies.length === 2 * LOADS + 1 ? [] : [`${found.bodies.length} requests`]);
  tally.check(`${name}, bytes`, changes(found.bodies));
  tally.check(`${name}, share`, share < MOST_SHARE ? [] : [`${share}`]);
  const grown = found.bodies.map((body, turn) => ({ ...body, tools: `${body.tools}${turn}` }));
  tally.check(`${name}, control: tools that grow are noticed`, changes(grown).length > 0 ? [] : ['not noticed']);
  tally.check(`${name}, control: all tools are more`, all.bodies[0]!.tools.includes(nameOf(3)) ? [] : ['not sent']);
}

async function byService({ name, config, model }: (typeof APIS)[number]): Promise<void> {
  const service = await startFakeProvider(({ answers: { length: turn } }) => {
    const place = wanted[turn];
    return place === undefined
      ? { say: 'Done.' }
      : { say: 'Next.', calls: [{ name: nameOf(place), input: { id: '7' } }] };
  });
  const proxy = await recordingProxy(service.origin);
  const toolDiscovery = { by: 'service' } as const;
  const outputs = await answersOf({ provider: config(proxy.url), model, toolDiscovery });
  const bodies = proxy.bodies.map(partsOf);
  await proxy.close();
  await service.stop();

  const sent = JSON.parse(bodies[0]!.tools) as { readonly defer_loading?: true; readonly name: string }[];
  const shown = sent.filter(({ defer_loading }) => !defer_loading);
  const share = JSON.stringify(shown).length / bodies[0]!.tools.length;
  console.log(
    `${name}, by the service: ${sent.length} definitions, ${(100 * share).toFixed(1)} % of their bytes are shown`,
  );
  const wrong = wanted.filter((place, load) => outputs[load] !== `${TOOLS[place]!.name} is done`);
  tally.check(`${name} by the service, calls`, wrong.map(nameOf));
  tally.check(`${name} by the service, turns`, bodies.length === LOADS + 1 ? [] : [`${bodies.length} requests`]);
  tally.check(`${name} by the service, bytes`, changes(bodies));
  tally.check(`${name} by the service, share`, share < MOST_SHARE ? [] : [`${share}`]);
  const deferred = new Set(sent.filter(({ defer_loading }) => defer_loading).map((tool) => tool.name));
  tally.check(
    `${name} by the service, all there`,
    wanted.map(nameOf).filter((tool) => !deferred.has(tool)),
  );
}

async function answersOf(options: Pick<SessionOptions, 'provider' | 'model' | 'toolDiscovery'>): Promise<string[]> {
  const more = { mcpServers: labelledServers(), mcpStartWait: 60_000, permissionMode: 'bypassPermissions' } as const;
  const session = await createSession({ ...options, ...more, store: memoryStore() });
  const outputs: string[] = [];
  try {
    await session.send('Begin.');
    for await (const event of session.stream()) {
      if (event.type === 'tool_result') outputs.push(event.isError ? `! ${event.output}` : event.output);
      if (event.type === 'error') outputs.push(`! ${event.message}`);
    }
  } finally {
    await session.close();
  }
  return outputs;
}

interface Parts {
  readonly tools: string;
  readonly messages: readonly string[];
}

/** A request without the marks that say where a cached part ends: they move, and are no part of what is cached. */
function partsOf(body: string): Parts {
  const parsed = JSON.parse(body, (key, value: unknown) => (key === 'cache_control' ? undefined : value)) as Record<
    string,
    unknown
  >;
  const list = parsed['messages'] ?? parsed['input'] ?? parsed['contents'];
  const messages = (list as readonly unknown[]).map((message) => JSON.stringify(message));
  return { tools: JSON.stringify(parsed['tools'] ?? []), messages };
}

function changes(bodies: readonly Parts[]): string[] {
  return bodies.flatMap(({ tools, messages }, turn) => {
    const before = bodies[turn - 1];
    if (!before) return [];
    const same = before.messages.every((message, at) => message === messages[at]);
    return [
      ...(tools === before.tools ? [] : [`tools of turn ${turn}`]),
      ...(same ? [] : [`messages of turn ${turn}`]),
    ];
  });
}

function unanswered(outputs: readonly string[]): string[] {
  const missing = wanted.flatMap((place, load) => {
    const [found, done] = outputs.slice(2 * load, 2 * load + 2);
    const isFound = found?.includes(`"${nameOf(place)}"`) && done === `${TOOLS[place]!.name} is done`;
    return isFound ? [] : [`${nameOf(place)}: ${found?.slice(0, 200)} / ${done}`];
  });
  return missing;
}

async function quality(): Promise<void> {
  const model = scriptedModel(({ messages }) => {
    const asked = QUERIES[(messages.length - 1) / 2];
    return asked ? { toolCalls: [{ name: 'ToolSearch', input: { query: asked.query } }] } : { text: 'Done.' };
  });
  const provider = { type: 'custom', createModel: () => model } as const;
  const options = { provider, model: 'm', maxTurns: QUERIES.length + 1 };
  const outputs = await answersOf(options);
  const ours = QUERIES.map((_, at) => (outputs[at] ?? '').split('\n').slice(1).map(toolIn));
  const index = new MiniSearch({ fields: ['name', 'description'], idField: 'name' });
  index.addAll(TOOLS);
  const peer = QUERIES.map(({ query }) => index.search(query).map(({ id }) => String(id)));
  const control = QUERIES.map(({ query }) => sharing(query));
  const [own, other, weak] = [ours, peer, control].map(recallOf);
  console.log(`recall@5 of ${QUERIES.length} queries: ${own}; minisearch ${other}; control, shared words ${weak}`);
  tally.check('recall@5', own! > other! ? [] : [`${own} is not above ${other}`]);
  tally.check('control, shared words', weak! < own! ? [] : [`${weak}`]);
}

function toolIn(line: string): string {
  const { name } = JSON.parse(line) as { readonly name: string };
  return name.replace(/^mcp__server\d+__/, '');
}

function sharing(query: string): string[] {
  const wordsOf = (text: string) => new Set(text.toLowerCase().split(/\P{L}+/u));
  const asked = wordsOf(query);
  const shared = (text: string) => [...wordsOf(text)].filter((word) => asked.has(word)).length;
  const scored = TOOLS.map(({ name, description }) => ({ name, score: shared(`${name} ${description}`) }));
  return scored.toSorted((one, other) => other.score - one.score).map(({ name }) => name);
}

function recallOf(found: readonly (readonly string[])[]): number {
  const hits = QUERIES.filter(({ tools }, at) => found[at]!.slice(0, 5).some((name) => tools.includes(name)));
  return Math.round((1000 * hits.length) / QUERIES.length) / 10;
}
