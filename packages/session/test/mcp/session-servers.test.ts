import { expect, it } from 'vitest';
import { SessionServers } from '../../src/mcp/session-servers.ts';

it('SessionServers has nothing before it was opened, and can be closed all the same', async () => {
  const servers = new SessionServers({ servers: {}, cwd: '/', startWaitMs: 10, isOffered: () => true });

  expect(() => servers.tools()).toThrow('not opened');
  await servers.ready(AbortSignal.abort()); // nothing to wait for
  await servers.close();
});
