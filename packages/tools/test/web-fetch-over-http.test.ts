import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Workspace } from '@x/core';
import { hostWorkspace } from '@x/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webFetchTool } from '../src/web-fetch.ts';
import { callTool } from './call-tool.ts';

const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url} ${request.headers['user-agent']}`);
  if (request.url === '/old') response.writeHead(301, { location: '/new' }).end('moved');
  else if (request.url === '/elsewhere') response.writeHead(302, { location: 'http://b.example/' }).end('moved');
  else {
    response.writeHead(200, { 'content-type': 'text/html; charset=iso-8859-1', 'content-encoding': 'gzip' });
    response.end(gzipSync(Buffer.from('<p>gr\u00f6\u00dfe <a href="x">link</a>', 'latin1')));
  }
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** The tool over a workspace of a host that says in the open: the server of this test counts as a public one. */
async function fetched(path: string) {
  const host = hostWorkspace({ cwd: '/' });
  const { port } = server.address() as AddressInfo;
  const fetch: Workspace['fetch'] = (request, { admitsAddress } = {}) =>
    host.fetch(new Request(`http://127.0.0.1:${port}${new URL(request.url).pathname}`, request), {
      admitsAddress: (address) => address === '127.0.0.1' && admitsAddress?.('1.1.1.1') === true,
    });
  asked.length = 0;
  return await callTool(webFetchTool(), { url: `http://a.example${path}` }, { ...host, fetch });
}

describe('WebFetch over HTTP', () => {
  it('reads a compressed page in the encoding that its header names, behind a redirect of its host', async () => {
    const { output } = await fetched('/old');

    expect(output).toBe(
      '200 OK http://a.example/new (text/html; charset=iso-8859-1)\n\ngr\u00f6\u00dfe [link](http://a.example/x)',
    );
    expect(asked).toEqual(['GET /old agent-sdk', 'GET /new agent-sdk']);
  });

  it('does not follow a redirect to another host', async () => {
    const { output } = await fetched('/elsewhere');

    expect(output).toContain('302 Found http://a.example/elsewhere\nlocation: http://b.example/\n');
    expect(asked).toHaveLength(1);
  });
});
