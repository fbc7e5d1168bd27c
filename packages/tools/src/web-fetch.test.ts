import { AbortError, type FetchOptions, type Workspace } from '@x/core';
import { memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { callTool } from '../test/call-tool.ts';
import { webFetchTool } from './web-fetch.ts';

type Answer = (request: Request) => Response | Promise<Response>;

const html = (body: string) => new Response(body, { headers: { 'content-type': 'text/html' } });
const redirect = (location: string, status = 302) => new Response(null, { status, headers: { location } });

/** What the tool answers, and which requests reached the network. */
async function fetched(input: { url: string; prompt?: string }, reply: Answer = () => html('<p>fine')) {
  const asked: string[] = [];
  const workspace = memoryWorkspace({
    fetch: async (request) => {
      asked.push(request.url);
      return await reply(request);
    },
  });
  const result = await callTool(webFetchTool(), input, workspace);
  return { ...result, asked };
}

describe('WebFetch', () => {
  it('answers with status, address, type and the page as Markdown, its links whole', async () => {
    const { output, isError } = await fetched({ url: 'https://a.example/dir/page' }, () =>
      html('<title>T</title><script>no()</script><h1>Head</h1><p>One <a href="next">link</a> &amp; <b>more</b></p>'),
    );

    expect(output).toMatch(/^200 https:\/\/a.example\/dir\/page \(text\/html\)\n\nT\n\n# Head\n\n/);
    expect(output).toContain('One [link](https://a.example/dir/next) & more');
    expect(output).not.toContain('no()');
    expect(isError).toBe(false);
  });

  it('makes a status from 400 an error that shows the page', async () => {
    const answer = await fetched({ url: 'https://a.example/' }, () => new Response('not here', { status: 404 }));

    expect(answer).toMatchObject({ isError: true, output: expect.stringMatching(/^404 .*not here$/s) });
  });

  it.each([
    'file:///etc/passwd',
    'ftp://a.example/',
    'data:text/html,x',
    'javascript:1',
    'nonsense',
    '',
    '//a.example/',
    'http://u@a.example/',
    'http://u:p@a.example/',
    'http://:p@a.example/',
    'http://127.0.0.1@a.example/',
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1:8080/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://0/',
    'http://[64:ff9b::10.0.0.1]/',
    'http://[2002:7f00:1::]/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://a.localhost/',
    'http://127.0.0.1./',
    'http://①②⑦.⓪.⓪.①/',
    'http://127。0。0。1/',
    'http://%31%27.0.0.1/',
    'http://10.0.0.1#@a.example/',
    'http://a.example@10.0.0.1/',
    'http:\\\\10.0.0.1\\',
    'https://[fd00:ec2::254]/',
  ])('sends nothing to %j', async (url) => {
    const { isError, asked } = await fetched({ url });

    expect(isError).toBe(true);
    expect(asked).toEqual([]);
  });

  it('refuses a name that stands for a private address, which the workspace finds out', async () => {
    const sent: string[] = [];
    const fetch = async ({ url }: Request, { admitsAddress }: FetchOptions = {}) => {
      if (admitsAddress?.('10.0.0.1') === false) throw new Error('refused');
      sent.push(url);
      return html('secret');
    };
    const workspace: Workspace = { ...memoryWorkspace(), fetch };

    const result = await callTool(webFetchTool(), { url: 'http://intranet.example/' }, workspace);

    expect(result).toMatchObject({ isError: true, output: expect.stringContaining('refused') });
    expect(sent).toEqual([]);
  });

  it('shows nothing of an answer when the workspace has not asked about the address', async () => {
    let isCancelled = false;
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('secret')),
      cancel: () => void (isCancelled = true),
    });
    const workspace: Workspace = { ...memoryWorkspace(), fetch: async () => new Response(body) };

    const { output, isError } = await callTool(webFetchTool(), { url: 'http://intranet.example/' }, workspace);

    expect(isError).toBe(true);
    expect(output).toContain('does not ask which addresses are admitted');
    expect(output).not.toContain('secret');
    expect(isCancelled).toBe(true);
  });

  it('stops a request that lasts, and honours the signal', async () => {
    const stop = new AbortController();
    const fetch: Workspace['fetch'] = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const running = callTool(
      webFetchTool(),
      { url: 'http://a.example/' },
      { ...memoryWorkspace(), fetch },
      stop.signal,
    );

    stop.abort();

    await expect(running).rejects.toThrow(AbortError);
  });
});

describe('WebFetch on a redirect', () => {
  const from = (url: string, location: string) =>
    fetched({ url }, (request) => (request.url === url ? redirect(location) : html('<p>there')));

  it.each([
    ['https://a.example/', '/end', 'https://a.example/end'],
    ['http://a.example/', 'https://a.example/end', 'https://a.example/end'],
    ['http://a.example:8080/', 'http://A.example:8080/end', 'http://a.example:8080/end'],
  ])('of %s to %s follows it within the host', async (url, location, end) => {
    const { output, asked } = await from(url, location);

    expect(asked).toEqual([url, end]);
    expect(output).toMatch(/there$/);
  });

  it.each([
    ['https://a.example/', 'https://b.example/'],
    ['https://a.example/', 'https://www.a.example/'],
    ['https://a.example/', 'http://a.example/'],
    ['http://a.example/', 'http://a.example:6379/'],
    ['http://a.example/', 'https://a.example:8443/'],
    ['https://a.example/', 'https://user:pass@a.example/'],
    ['https://a.example/', 'http://169.254.169.254/latest/meta-data/'],
    ['https://a.example/', '//127.0.0.1/'],
    ['https://a.example/', 'file:///etc/passwd'],
  ])('of %s to %s shows where it leads and asks for nothing there', async (url, location) => {
    const { output, asked, isError } = await from(url, location);

    expect(asked).toEqual([url]);
    expect(output).toContain(`302 ${url}\nlocation: ${new URL(location, url).href}`);
    expect(isError).toBe(false);
  });

  it('does not go round for ever', async () => {
    const { asked } = await fetched({ url: 'https://a.example/' }, () => redirect('/'));

    expect(asked).toHaveLength(6);
  });
});

describe('WebFetch on a long page', () => {
  const filler = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => `Paragraph ${from + at} speaks of nothing in particular.`).join('\n\n');
  const page = `${filler(0, 1_000)}\n\nThe zebra crossing opened in Lisbon.\n\n${filler(1_000, 1_000)}`;
  const url = 'https://a.example/';

  it('shows the beginning, and how much there is', async () => {
    const { output } = await fetched({ url }, () => new Response(page));

    expect(output.length).toBeLessThan(28_300);
    expect(output).toContain('Paragraph 0 ');
    expect(output).not.toContain('zebra');
    expect(output).toMatch(/\[The first 28,000 of [\d,]+ characters; with a prompt those that fit it\.\]$/);
  });

  it('with a prompt shows what has its words, and as much of the beginning as there is room for', async () => {
    const { output } = await fetched({ url, prompt: 'Where is the ZEBRA crossing?' }, () => new Response(page));

    expect(output.length).toBeLessThan(28_300);
    expect(output).toContain('[...]\n\nThe zebra crossing opened in Lisbon.\n\n[...]');
    expect(output).toContain('Paragraph 0 ');
    expect(output).not.toContain('Paragraph 1500 ');
  });

  it('reads no more than 5 MB of it', async () => {
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        sent += 100_000;
        controller.enqueue(new Uint8Array(100_000).fill(0x61));
      },
    });

    const { output } = await fetched({ url }, () => new Response(body));

    expect(sent).toBeLessThan(5_400_000);
    expect(output).toContain('[Only the first 5,000,000 bytes of the page were read.]');
  });
});
