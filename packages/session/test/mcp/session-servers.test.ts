import { expect, it } from 'vitest';
import { stdio } from '../../../mcp/test/support/servers.ts';
import { SessionServers } from '../../src/mcp/session-servers.ts';

it('SessionServers has nothing before it was opened, and can be closed all the same', async () => {
  const servers = new SessionServers({ servers: {}, cwd: '/', startWaitMs: 10, isOffered: () => true });

  expect(() => servers.tools()).toThrow('not opened');
  await servers.ready(AbortSignal.abort()); // nothing to wait for
  await servers.close();
});

it('SessionServers waits no longer than for an abort, and keeps pins that could not be recorded', async () => {
  const servers = new SessionServers({
    servers: { a: stdio({ hang: true }) },
    cwd: '/',
    startWaitMs: 60_000,
    isOffered: () => true,
  });
  await servers.open([]);
  const pin = { serverName: 'a', name: 't', hash: 'h' };

  await servers.ready(AbortSignal.abort());
  servers.returnPins([pin]);

  expect(servers.status()).toMatchObject([{ name: 'a', status: 'connecting' }]);
  expect([servers.takePins(), servers.takePins()]).toEqual([[pin], []]);
  await servers.close();
});
