import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { memoryWorkspace } from '@x/core/testing';
import { hostWorkspace } from '@x/sandbox';
import { describe, expect, it } from 'vitest';
import type { SessionOptions } from '../../src/index.ts';
import { only, say, scriptedSession } from '../support/makers.ts';

/** The outcome of a call for each URL, and the hosts that a request was sent to. */
async function fetchedBy(urls: readonly string[], options: Partial<SessionOptions>) {
  const sent: string[] = [];
  const fetch = async ({ url }: Request) => {
    sent.push(new URL(url).host);
    return new Response('fine');
  };
  const toolCalls = urls.map((url) => ({ name: 'WebFetch', input: { url } }));
  const { session } = await scriptedSession((_, turn) => (turn === 1 ? { toolCalls } : { text: 'Done.' }), {
    allowedTools: ['WebFetch'],
    workspace: memoryWorkspace({ fetch }),
    ...options,
  });
  const results = only(await say(session, 'Begin.'), 'tool_result');
  await session.close();
  return { sent, outputs: results.map(({ output }) => output) };
}

const URLS = ['http://a.example/', 'https://sub.a.example/', 'https://a.example.org/', 'https://A.example.:8443/x'];

describe('WebFetch in a session', () => {
  it('is offered without a word, and asked about', async () => {
    const asked: unknown[] = [];

    const { sent } = await fetchedBy(['https://a.example/'], {
      canUseTool: async (name, _, { toolKind }) => {
        asked.push([name, toolKind]);
        return { behavior: 'allow' };
      },
    });
    const unanswered = await fetchedBy(['https://a.example/'], {});

    expect(asked).toEqual([['WebFetch', 'execute']]);
    expect(sent).toEqual(['a.example']);
    expect(unanswered.sent).toEqual([]);
  });

  it('autoApprove: a domain rule lets this very host pass, in every spelling, and no host below it', async () => {
    const { sent } = await fetchedBy(URLS, { autoApprove: ['WebFetch(domain:a.example)'] });

    expect(sent).toEqual(['a.example', 'a.example.:8443']);
  });

  it('disallowedTools: a domain rule closes the host and every host below it, in every mode', async () => {
    const { sent, outputs } = await fetchedBy(URLS, {
      permissionMode: 'bypassPermissions',
      disallowedTools: ['WebFetch(domain:a.example)'],
    });

    expect(sent).toEqual(['a.example.org']);
    expect(outputs[0]).toContain('WebFetch(domain:a.example)');
  });

  it('alwaysAsk: a domain rule asks where all else runs', async () => {
    const { sent } = await fetchedBy(URLS, {
      permissionMode: 'bypassPermissions',
      alwaysAsk: ['WebFetch(domain:a.example)'],
    });

    expect(sent).toEqual(['a.example.org']);
  });

  it('does not reach this machine, whatever allows it', async () => {
    let requests = 0;
    const server = createServer((_, response) => void response.end(`secret ${++requests}`));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const hosts = ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '0.0.0.0'];

    const { outputs } = await fetchedBy(
      hosts.map((host) => `http://${host}:${port}/`),
      {
        workspace: hostWorkspace({ cwd: '/' }),
        permissionMode: 'bypassPermissions',
        autoApprove: ['WebFetch'],
      },
    );
    const control = await fetch(`http://127.0.0.1:${port}/`);
    await new Promise((resolve) => server.close(resolve));

    expect(outputs).toHaveLength(hosts.length);
    expect(outputs.join()).not.toContain('secret');
    expect(await control.text()).toBe('secret 1');
  });
});
