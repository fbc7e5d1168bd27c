// The client of the conformance suite: connects to the server that its last argument names, signs in when it is asked to, and calls every tool.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClientCredentialsProvider, PrivateKeyJwtProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { createMcpHub, fileAuthProvider, type McpAuthProvider } from '../../src/index.ts';
import { called } from '../../test/support/hubs.ts';

const url = process.argv.at(-1)!; // the suite adds it
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}');
const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
const codes: string[] = [];

const hub = createMcpHub({
  servers: { suite: { type: 'http', url, authProvider: providerFor(), timeoutMs: 15_000 } },
  handlers: { elicit: async () => ({ action: 'accept', content: {} }) },
});
await hub.ready();
for (let tries = 0; tries < 2 && codes.length > 0; tries += 1) {
  await hub.authorize('suite', codes.pop()!).catch((error: unknown) => console.error(String(error)));
}
for (const tool of hub.tools()) {
  await called(tool, { a: 5, b: 3 });
  if (codes.length === 0) continue;
  await hub.authorize('suite', codes.pop()!); // it wants more than it has said before
  await called(tool, { a: 5, b: 3 });
}
await hub.close();
rmSync(folder, { recursive: true });

function providerFor(): McpAuthProvider {
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey } = context;
  const algorithm = context.signing_algorithm ?? 'ES256';
  if (scenario === 'auth/client-credentials-basic') return new ClientCredentialsProvider({ clientId, clientSecret });
  if (scenario === 'auth/client-credentials-jwt') return new PrivateKeyJwtProvider({ clientId, privateKey, algorithm });
  return fileAuthProvider({
    file: join(folder, 'auth.json'),
    redirectUrl: 'http://localhost:3000/callback',
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
    ...(scenario === 'auth/pre-registration' ? { client: { client_id: clientId, client_secret: clientSecret } } : {}),
    redirect: async (page) => {
      const answer = await fetch(page, { redirect: 'manual' });
      const code = new URL(answer.headers.get('location') ?? '', page).searchParams.get('code');
      if (code !== null) codes.push(code);
    },
  });
}
