import { statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { afterEach, describe, expect, it } from 'vitest';
import { fileAuthProvider } from '../src/index.ts';
import { listen } from './support/http-servers.ts';
import { called, closeAll, folder, hubOf, toolOf } from './support/hubs.ts';
import { plainServer } from './support/plain-server.ts';

afterEach(closeAll);

/** A server that asks for a sign-in, and is its own authorization server: RFC 9728, 8414, 7591 and 6749, as far as a client needs them. */
async function guarded() {
  const asked: string[] = [];
  const json = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const origin = `http://${request.headers.host}`;
    const path = request.url ?? '';
    if (path.startsWith('/.well-known/oauth-protected-resource')) {
      return json(response, 200, { resource: `${origin}/mcp`, authorization_servers: [origin] });
    }
    if (path.startsWith('/.well-known/')) {
      return json(response, 200, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      });
    }
    if (path === '/register') return json(response, 201, { ...JSON.parse(await text(request)), client_id: 'client' });
    if (path === '/token') {
      const form = new URLSearchParams(await text(request));
      asked.push(`${form.get('grant_type')} ${form.get('code')} ${form.get('code_verifier')?.length}`);
      if (form.get('code') !== 'agreed') return json(response, 400, { error: 'invalid_grant' });
      return json(response, 200, { access_token: 'token', token_type: 'Bearer', expires_in: 3_600 });
    }
    if (request.headers.authorization !== 'Bearer token') {
      const where = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource"`;
      return response.writeHead(401, { 'www-authenticate': where }).end();
    }
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined as never });
    await plainServer().connect(transport);
    return await transport.handleRequest(request, response);
  };
  return { ...(await listen(answer)), asked };
}

describe('a server with a sign-in', () => {
  it('is an error until the user has agreed; the tokens are in a file of this user alone', async () => {
    const { url, asked } = await guarded();
    const file = join(folder(), 'keys', 'auth.json');
    const pages: URL[] = [];
    const redirect = (page: URL) => void pages.push(page);
    const authProvider = fileAuthProvider({ file, redirectUrl: 'http://localhost:1/back', redirect });
    const hub = hubOf({ a: { type: 'http', url, authProvider } });

    await expect(hub.connect('a')).rejects.toMatchObject({ errorType: 'AUTH_ERROR' });
    expect(pages[0]!.searchParams.get('code_challenge_method')).toBe('S256');
    await expect(hub.authorize('a', 'guessed')).rejects.toMatchObject({ errorType: 'AUTH_ERROR' });
    await hub.connect('a').catch(() => undefined); // begins another sign-in
    await hub.authorize('a', 'agreed');

    expect(await called(toolOf(hub, 'mcp__a__echo'), { text: 'hi' })).toMatchObject({ output: 'hi' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(asked.at(-1)).toMatch(/^authorization_code agreed \d+$/);
    const second = hubOf({
      a: {
        type: 'http',
        url,
        authProvider: fileAuthProvider({ file, redirectUrl: 'http://localhost:1/back', redirect }),
      },
    });
    await second.connect('a');
    expect(pages).toHaveLength(2);
  });

  it('is refused a file that holds something else', () => {
    const file = join(folder(), 'notes.txt');
    writeFileSync(file, 'my notes');

    expect(() => fileAuthProvider({ file, redirectUrl: 'http://a/', redirect: () => undefined })).toThrow(
      /must not exist/,
    );
  });

  it('has no code to take without a provider', async () => {
    const { url } = await guarded();
    const hub = hubOf({ a: { type: 'http', url }, b: { command: 'x' } });

    await expect(hub.authorize('a', 'code')).rejects.toMatchObject({ errorType: 'AUTH_ERROR' });
    await expect(hub.authorize('b', 'code')).rejects.toMatchObject({ errorType: 'CONFIG_ERROR' });
  });
});
