import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { objectSchema } from '@x/core';
import type { ProviderConfig } from '@x/models';
import { type WireServer, wireServer } from '@x/models/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSession, type ISession, resumeSession, type SessionOptions, sqliteStore } from '../../src/index.ts';
import { toolNamed } from '../support/makers.ts';

interface Api {
  readonly name: string;
  readonly config: (url: string) => ProviderConfig;
  readonly model: string;
  /** Streams of a reply that thinks and calls, and of one that says something. */
  readonly streams: readonly [call: string, text: string];
}
const apiKey = 'key-4711';
const APIS: readonly Api[] = [
  {
    name: 'chat',
    config: (url) => ({ type: 'openai-compatible', apiKey, baseUrl: `${url}/v1` }),
    model: 'some-model',
    streams: ['openai-chat/reasoning-call', 'openai-chat/text'],
  },
  {
    name: 'responses',
    config: (url) => ({ type: 'openai-compatible', apiKey, baseUrl: `${url}/v1`, api: 'responses' }),
    model: 'gpt-5',
    streams: ['openai-responses/reasoning-with-call', 'openai-responses/text'],
  },
  {
    name: 'azure-openai',
    config: (url) => ({ type: 'azure-openai', apiKey, baseUrl: url }),
    model: 'my-deployment',
    streams: ['azure-openai/parallel-calls', 'azure-openai/text'],
  },
  {
    name: 'anthropic',
    config: (url) => ({ type: 'anthropic', apiKey, baseUrl: url }),
    model: 'claude-sonnet-4-5',
    streams: ['anthropic/interleaved-thinking', 'anthropic/text'],
  },
  {
    name: 'gemini',
    config: (url) => ({ type: 'gemini', apiKey, baseUrl: url }),
    model: 'gemini-3-pro-preview',
    streams: ['gemini/call', 'gemini/text'],
  },
];
/** What a service wants to see again, wherever it stands in the log. */
const SECRETS = /"(?:signature|thoughtSignature|encrypted_content)":"([^"]+)"/g;

const IMAGE = { type: 'image', mediaType: 'image/png', data: 'aW1hZ2UtNDcxMQ==' } as const;
const ANY = objectSchema({ text: { type: 'string', description: 'What to say.' } });

let folder = '';
const streams = new Map<string, string>();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'providers-'));
  for (const name of APIS.flatMap((api) => api.streams)) {
    streams.set(name, await readFile(new URL(`../../../models/test/wire/${name}.sse`, import.meta.url), 'utf8'));
  }
});
afterAll(() => rm(folder, { recursive: true }));

/** A service that answers the first request with a call, and all others with text. */
const serviceOf = (api: Api, { callsFirst }: { callsFirst: boolean }) =>
  wireServer((_request, number) => ({ body: streams.get(api.streams[callsFirst && number === 1 ? 0 : 1])! })); // all were read

function optionsFor(api: Api, server: WireServer, file: string): SessionOptions {
  const store = sqliteStore({ path: join(folder, file) });
  const tools = [toolNamed('echo', async () => [{ type: 'text', text: 'again' }, IMAGE], { inputSchema: ANY })];
  return { provider: api.config(server.url), model: api.model, tools, allowedTools: ['echo'], cwd: folder, store };
}

async function say(session: ISession, text: string): Promise<string | undefined> {
  await session.send(text);
  let content: string | undefined;
  for await (const event of session.stream()) {
    if (event.type === 'error') throw new Error(event.message);
    if (event.type === 'result') content = event.content;
  }
  return content;
}

describe.each(APIS)('a session with $name', (api) => {
  it('sends after it was resumed the very bytes that it would have sent without', async () => {
    await using server = await serviceOf(api, { callsFirst: true });
    const options = optionsFor(api, server, `${api.name}.db`);
    const first = await createSession(options);
    await say(first, 'Say hi.');
    await first.close();
    const { sessionId } = first;

    const again = await resumeSession({ ...optionsFor(api, server, `${api.name}.db`), sessionId });
    expect(await say(again, 'And now?')).not.toBe('');
    await again.close();

    await using twin = await serviceOf(api, { callsFirst: true });
    const live = await createSession(optionsFor(api, twin, `${api.name}-live.db`));
    await say(live, 'Say hi.');
    await say(live, 'And now?');
    await live.close();

    const [resumed, lived] = [server, twin].map(({ requests }) => requests.map(({ body }) => body));
    expect(resumed?.length).toBe(3);
    expect(resumed).toEqual(lived);
    expect(resumed?.at(-1)).toContain(IMAGE.data);
  });

  it.each(APIS.filter((other) => other !== api))(
    'goes on with $name, which sees nothing that is foreign',
    async (other) => {
      await using before = await serviceOf(api, { callsFirst: true });
      const file = `${api.name}-${other.name}.db`;
      const first = await createSession(optionsFor(api, before, file));
      await say(first, 'Say hi.');
      const log = JSON.stringify(first.messages);
      await first.close();

      await using after = await serviceOf(other, { callsFirst: false });
      const session = await resumeSession({ ...optionsFor(other, after, file), sessionId: first.sessionId });
      const answer = await say(session, 'And now?');
      await session.close();

      const body = after.requests[0]?.body ?? '';
      expect(answer).not.toBe('');
      expect(body).toContain('Say hi.');
      expect(body).toContain('And now?');
      expect(body).toContain('"echo"');
      expect(body).toContain(IMAGE.data);
      const secrets = Array.from(log.matchAll(SECRETS), ([, secret]) => secret!); // the group is never empty
      expect(secrets.length > 0).toBe(['responses', 'anthropic', 'gemini'].includes(api.name));
      for (const secret of secrets) expect(body).not.toContain(secret);
      expect(body).not.toContain('reasoning_content');
    },
  );
});
