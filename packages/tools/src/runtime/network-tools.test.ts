import { AbortError } from '@x/core';
import { memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { callTool } from '../../test/call-tool.ts';
import { httpRequestTool } from './network-tools.ts';

type Fetch = NonNullable<NonNullable<Parameters<typeof memoryWorkspace>[0]>['fetch']>;

async function request(input: object, fetch: Fetch = async () => new Response('fine'), signal?: AbortSignal) {
  const asked: string[] = [];
  const workspace = memoryWorkspace({
    fetch: async (one) => {
      asked.push(`${one.method} ${one.url}`);
      return await fetch(one);
    },
  });
  const result = await callTool(httpRequestTool(), { url: 'https://a.example/', ...input }, workspace, signal);
  return { ...result, asked };
}

function redirect(location: string, status = 302) {
  return new Response(null, { status, headers: { location } });
}

describe('http_request', () => {
  it('sends method, headers and body, and answers with status, headers and text', async () => {
    const { output, asked, isError } = await request(
      { method: 'POST', headers: 'X-One: 1\nX-Two: a:b', body: 'text' },
      async (one) => new Response(`${one.headers.get('x-one')} ${one.headers.get('x-two')} ${await one.text()}`),
    );

    expect(asked).toEqual(['POST https://a.example/']);
    expect(output).toMatch(/^200 https:\/\/a.example\/\n.*\n\n1 a:b text$/s);
    expect(isError).toBe(false);
  });

  it('makes a status from 400 an error that shows the body', async () => {
    const answer = await request({}, async () => new Response('not here', { status: 404, statusText: 'Not Found' }));

    expect(answer).toMatchObject({ isError: true, output: expect.stringMatching(/^404 Not Found .*not here$/s) });
  });

  it.each(['file:///etc/passwd', 'ftp://a.example/', 'data:text/plain,x', 'javascript:1', 'nonsense', ''])(
    'sends nothing for %j',
    async (url) => {
      const { isError, asked } = await request({ url });

      expect(isError).toBe(true);
      expect(asked).toEqual([]);
    },
  );

  it('follows redirects within the origin', async () => {
    const { output, asked } = await request({}, async ({ url }) =>
      url.endsWith('/end') ? new Response('there') : redirect('/end'),
    );

    expect(asked).toEqual(['GET https://a.example/', 'GET https://a.example/end']);
    expect(output).toContain('there');
  });

  it.each(['https://b.example/', 'http://a.example/', 'file:///etc/passwd', 'http://169.254.169.254/latest'])(
    'shows a redirect to %s and does not follow it',
    async (location) => {
      const { output, asked } = await request({}, async () => redirect(location));

      expect(asked).toHaveLength(1);
      expect(output).toContain(`302 https://a.example/\nlocation: ${location}`);
    },
  );

  it('neither repeats a body at another place nor goes round for ever', async () => {
    const posted = await request({ method: 'POST', body: 'x' }, async () => redirect('/next', 307));
    const round = await request({}, async () => redirect('/'));

    expect(posted.asked).toHaveLength(1);
    expect(round.asked).toHaveLength(6);
  });

  it('reads no more of a body than it shows', async () => {
    let pulled = 0;
    let cancelled = false;
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new TextEncoder().encode('x'.repeat(10_000)));
      },
      cancel() {
        cancelled = true;
      },
    });

    const { output } = await request({}, async () => new Response(endless));

    expect(output.length).toBeLessThan(30_000);
    expect(output).toContain('Only the first 28,000 bytes');
    expect(pulled).toBeLessThan(6);
    expect(cancelled).toBe(true);
  });

  it('says what a body is that is no text', async () => {
    expect((await request({}, async () => new Response(Uint8Array.of(1, 0, 2)))).output).toContain(
      'a binary body of 3 bytes',
    );
  });

  it.each([
    [{ headers: 'no header' }, 'is not a header'],
    [{ headers: 'X-One: a\u0000b' }, 'cannot be sent'],
    [{ headers: `X: ${'y'.repeat(2_000)}` }, 'more than 1500'],
    [{ body: 'x' }, 'GET sends no body'],
  ])('refuses %o', async (input, reason) => {
    expect(await request(input)).toMatchObject({ isError: true, output: expect.stringContaining(reason), asked: [] });
  });

  it('tells the reason of a failure, and of a time-out', async () => {
    const closed = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
    const failed = await request({}, async () => Promise.reject(closed));
    const late = await request({ timeout: 5 }, hanging);

    expect(failed.output).toBe('GET https://a.example/ failed: fetch failed (connect ECONNREFUSED)');
    expect(late).toMatchObject({ isError: true, output: 'GET https://a.example/ was ended after 5 ms.' });
  });

  it('stops when the call is aborted', async () => {
    const abort = new AbortController();
    const running = request({}, hanging, abort.signal);

    abort.abort();

    await expect(running).rejects.toBeInstanceOf(AbortError);
  });
});

/** Ends only with its signal, as a real one would. */
const hanging: Fetch = ({ signal }) =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
