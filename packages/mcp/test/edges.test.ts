import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { AbortError, objectSchema } from '@x/core';
import { afterEach, describe, expect, it } from 'vitest';
import { listAll } from '../src/definitions/list-all.ts';
import { withBoundedBody } from '../src/http/bounded-body.ts';
import { serverFetch } from '../src/http/server-fetch.ts';
import { ConnectionLife } from '../src/hub/connection-life.ts';
import { fileAuthProvider, McpError } from '../src/index.ts';
import type { McpConnection } from '../src/port/connection.ts';
import { errorOfSdk } from '../src/sdk/sdk-errors.ts';
import { mcpTool } from '../src/tools/mcp-tool.ts';
import { called, closeAll, folder, hubOf, toolOf, until } from './support/hubs.ts';
import { stdio } from './support/servers.ts';

afterEach(closeAll);

const temporary = () => new McpError('it is away', { serverName: 's', errorType: 'NETWORK_TEMPORARY' });
const connection = (onClose: () => void = () => undefined): McpConnection => ({
  capabilities: {
    tools: true,
    resources: false,
    subscriptions: false,
    prompts: false,
    completions: false,
    logging: false,
  },
  request: async () => ({}),
  close: async () => onClose(),
});
function lifeOf(open: () => Promise<McpConnection>, pingMs = 0): ConnectionLife {
  const reconnect = { baseMs: 10_000, maxMs: 10_000, attempts: 3, pingMs };
  const unheard = { changed: () => undefined, leave: async () => undefined };
  return new ConnectionLife({ serverName: 's', isWatched: pingMs > 0, reconnect, open, ...unheard });
}
const { signal } = new AbortController();

describe('a connection that is asked for', () => {
  it('says that the server was left, or why it cannot be used', async () => {
    const left = lifeOf(async () => connection());
    await expect(left.usable(signal, 1_000)).rejects.toThrow('it is disconnected');
    const broken = lifeOf(async () => Promise.reject(new Error('no such program')));
    await expect(broken.connect()).rejects.toThrow('no such program');
    await expect(broken.usable(signal, 1_000)).rejects.toThrow('no such program');
  });

  it('is not waited for after an abort, nor longer than the time says', async () => {
    const hanging = lifeOf(() => new Promise(() => undefined));
    hanging.connect().catch(() => undefined);
    await expect(hanging.usable(AbortSignal.abort(), 1_000)).rejects.toThrow(AbortError);
    const away = lifeOf(async () => Promise.reject(temporary()));
    await expect(away.connect()).rejects.toThrow('it is away');
    await expect(away.usable(signal, 5)).rejects.toThrow('was not connected within 5 ms: it is away');
    await away.disconnect();
  });

  it('is closed again when it comes after the server was left', async () => {
    const opened = Promise.withResolvers<McpConnection>();
    const life = lifeOf(() => opened.promise);
    const connecting = life.connect();
    connecting.catch(() => undefined);
    const leaving = life.disconnect();
    let isClosed = false;
    opened.resolve(connection(() => (isClosed = true)));

    await leaving;
    await expect(connecting).rejects.toThrow(AbortError);
    expect([isClosed, life.state]).toEqual([true, 'disconnected']);
  });

  it('is watched, and given up when it cannot be reached; other answers say that it is there', async () => {
    const answers: Error[] = [new Error('unknown method'), temporary()];
    const asked: Error[] = [];
    const request = async () => {
      const error = answers.shift() ?? temporary();
      asked.push(error);
      throw error;
    };
    const life = lifeOf(async () => ({ ...connection(), request }), 1);
    await life.connect();
    await until(() => life.connection === undefined);
    expect([asked.length, life.error, life.isOnTheWay]).toEqual([2, 'it is away', true]);
    await life.disconnect();
  });

  it('is renewed once for all who have lost it, and not after the server was left', async () => {
    const life = lifeOf(async () => connection());
    await life.connect();
    const old = life.connection!;
    const fresh = await life.renewed(old);
    expect(fresh).not.toBe(old);
    expect(await life.renewed(old)).toBe(fresh);
    await life.disconnect();
    await expect(life.renewed(fresh)).rejects.toThrow('is disconnected');
  });
});

describe('errors of the SDK', () => {
  it.each<[string, unknown, string]>([
    ['one of ours', temporary(), 'NETWORK_TEMPORARY'],
    ['a code of the system', Object.assign(new Error('gone'), { code: 'EPIPE' }), 'NETWORK_PERMANENT'],
    ['a message that is none', Object.assign(new Error('wrong'), { name: 'ZodError' }), 'PROTOCOL_ERROR'],
    ['something unknown', new Error('odd'), 'UNKNOWN'],
    ['a status of HTTP', Object.assign(new Error('teapot'), { code: 418 }), 'NETWORK_PERMANENT'],
    ['a busy server', Object.assign(new Error('later'), { code: 429 }), 'NETWORK_TEMPORARY'],
    ['a code of the protocol', Object.assign(new Error('no'), { code: -32_601 }), 'PROTOCOL_ERROR'],
  ])('%s', (_, error, errorType) => {
    expect(errorOfSdk(error, 's', '')).toMatchObject({ serverName: 's', errorType });
  });
});

describe('small answers', () => {
  it('without a body pass as they are', () => {
    const empty = new Response(null, { status: 202 });
    expect(withBoundedBody(empty, 1, () => new Error('too long'))).toBe(empty);
  });

  it('without a list have an empty one', async () => {
    expect(await listAll(async () => ({}), 'tools', 5)).toEqual({ items: [], isCut: false });
  });

  it('of another origin get no headers, and concern nobody when they fail', async () => {
    const failures: unknown[] = [];
    const config = { url: 'http://127.0.0.1:1/mcp', headers: { authorization: 'secret' } };
    const limits = { maxMessageBytes: 100, totalTimeoutMs: 5_000 };
    const ask = serverFetch({ serverName: 's', config, ...limits, onFailure: (error) => failures.push(error) });

    await expect(ask('http://127.0.0.1:2/other')).rejects.toMatchObject({ errorType: 'NETWORK_TEMPORARY' });
    expect(failures).toEqual([]);
    await expect(ask('http://127.0.0.1:1/mcp')).rejects.toMatchObject({ errorType: 'NETWORK_TEMPORARY' });
    expect(failures).toHaveLength(1);
  });
});

describe('a hub', () => {
  it('takes a server that has no tools', async () => {
    const instance = new Server({ name: 'bare', version: '1.0.0' }, { capabilities: {} });
    const hub = hubOf({ a: { type: 'sdk', instance } });
    await hub.ready();
    expect([hub.tools(), hub.status()[0]?.status]).toEqual([[], 'connected']);
    await hub[Symbol.asyncDispose]();
    expect(hub.status()[0]?.status).toBe('disconnected');
  });

  it('sends what a tool is given when that is an object, else nothing', async () => {
    const sent: object[] = [];
    const read = {
      name: 't',
      toolName: 'mcp__a__t',
      description: '',
      schema: objectSchema({}),
      annotations: {},
      hash: '',
      identity: '',
    };
    const tool = mcpTool(read, false, async ({ input }) => {
      sent.push(input);
      return { content: [] };
    });
    await called(tool, { a: 1 });
    await called(tool, 'text' as never);
    expect(sent).toEqual([{ a: 1 }, {}]);
  });

  it('has no tools of a server that was left, and nothing to say once it is closed', async () => {
    const schema = { type: 'object' };
    const tools = [
      { name: 'look', inputSchema: schema, annotations: { readOnlyHint: true } },
      { name: 'set', inputSchema: schema, annotations: { idempotentHint: true } },
      { name: 'odd', inputSchema: 'none' },
    ];
    const hub = hubOf({ a: stdio({ tools }, { trusted: true }) });
    await hub.ready();
    expect(toolOf(hub, 'mcp__a__look')).toMatchObject({ kind: 'readonly', effect: 'pure' });
    expect(toolOf(hub, 'mcp__a__set')).toMatchObject({ kind: 'execute', effect: 'idempotent' });
    hub.approve('a');
    expect(hub.listTools()).toHaveLength(2);
    expect(hub.status()[0]?.problems).toMatchObject([{ kind: 'left_out', name: 'odd' }]);
    await hub.disconnect('a');
    expect(hub.listTools()).toEqual([]);
    await hub.close();
    await expect(hub.connect('a')).rejects.toThrow('the hub is closed');
  });
});

describe('what a sign-in leaves in its file', () => {
  it('can be forgotten, a part or all of it; a place that cannot be read is told', async () => {
    const file = join(folder(), 'kept', 'tokens.json');
    const options = { file, redirectUrl: 'http://127.0.0.1/back', redirect: () => undefined };
    const more = { clientMetadataUrl: 'https://example.com/client.json', scope: 'read write' };
    const provider = fileAuthProvider({ ...options, ...more });
    await provider.saveTokens({ access_token: 'a', token_type: 'Bearer' });
    await provider.saveCodeVerifier('v');
    expect(provider).toMatchObject({
      clientMetadataUrl: more.clientMetadataUrl,
      clientMetadata: { scope: 'read write' },
    });

    await provider.invalidateCredentials?.('tokens');
    expect([await provider.tokens(), await provider.codeVerifier()]).toEqual([undefined, 'v']);
    await provider.invalidateCredentials?.('all');
    expect(await provider.codeVerifier()).toBe('undefined');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(() => fileAuthProvider({ ...options, clientMetadataUrl: 'http://example.com' })).toThrow('https://');
    expect(() => fileAuthProvider({ ...options, file: folder() })).toThrow('EISDIR');
  });
});
