import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { createApp, type HttpOptions } from '../../src/index.ts';
import { ANN, hosted } from '../support/hosted.ts';
import { got, served } from '../support/served.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const POST = { callId: 'c', answer: { behavior: 'allow' } };

/** The files that a page names, and those that they import. */
function filesIn(text: string): string[] {
  return [...text.matchAll(/(?:href|src)="page\/([\w.-]+)"|from '\.\/([\w.-]+)'|import '\.\/([\w.-]+)'/g)].map(
    ([, one, other, third]) => one ?? other ?? third ?? '',
  );
}

describe('the pages for people', () => {
  it.each(['/docs', '/inspector'])(
    '%s is there without a token, with a policy that lets nothing in, and holds nothing',
    async (url) => {
      await using host = await hosted({}, { inspector: true });
      await host.made({ title: 'A secret title' });
      const answer = await got(host.server, url);

      expect(answer.statusCode).toBe(200);
      expect(answer.headers).toMatchObject({
        'content-security-policy': POLICY,
        'content-type': 'text/html; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      });
      expect(answer.body).not.toMatch(/secret|sendMessage/);
    },
  );

  it.each(['/docs', '/inspector'])('%s has all its files, in their types, under the same policy', async (url) => {
    await using host = await hosted({}, { inspector: true });
    const seen = new Set<string>();
    const left = filesIn((await got(host.server, url)).body);
    for (let name = left.pop(); name !== undefined; name = left.pop()) {
      if (seen.has(name)) continue;
      seen.add(name);
      const { statusCode, headers, body } = await got(host.server, `/page/${name}`);
      expect([name, statusCode, headers['content-security-policy']]).toEqual([name, 200, POLICY]);
      expect(headers['content-type']).toBe(`text/${name.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`);
      left.push(...filesIn(body));
    }

    expect(seen.size).toBeGreaterThan(5);
  });

  it('are open for GET and HEAD alone, and what they show is not', async () => {
    await using host = await hosted({}, { inspector: true });
    const status = async (method: string, url: string) => (await host.server.inject({ method, url })).statusCode;

    expect(await status('HEAD', '/inspector')).toBe(200);
    expect(await status('POST', '/inspector')).toBe(401);
    expect(await status('GET', '/inspector/')).toBe(401);
    expect(await status('GET', '/page/other.js')).toBe(401);
    expect(await status('GET', '/page/..%2Fapi.js')).toBe(401);
    expect(await status('GET', '/openapi.json')).toBe(401);
    expect(await status('GET', '/v1/sessions')).toBe(401);
  });

  it('are kept from other names of the server like everything else', async () => {
    await using host = await hosted({}, { inspector: true });

    expect((await got(host.server, '/inspector', { host: 'evil.example' })).statusCode).toBe(403);
    expect((await got(host.server, '/docs', { origin: 'https://evil.example' })).statusCode).toBe(403);
  });

  it('are where the app is mounted, open too', async () => {
    const app = new Hono().route('/base', createApp({ token: 't' }));
    const status = async (path: string) => (await app.request(`http://127.0.0.1${path}`)).status;

    expect([await status('/base/docs'), await status('/base/page/docs.js')]).toEqual([200, 200]);
    expect([await status('/base/openapi.json'), await status('/docs')]).toEqual([401, 404]);
  });
});

describe('/docs', () => {
  it('is there without sessions and without a token, and its document needs a token exactly when there is one', async () => {
    const [open, guarded] = [await served(), await served({ token: 't' })];

    for (const server of [open, guarded]) expect((await got(server, '/docs')).statusCode).toBe(200);
    expect((await got(open, '/openapi.json')).statusCode).toBe(200);
    expect((await got(guarded, '/openapi.json')).statusCode).toBe(401);
  });

  it('is not described by the document', async () => {
    await using host = await hosted({}, { inspector: true });
    const paths = Object.keys((await host.ask('GET', '/openapi.json')).json().paths);

    expect(paths.filter((path) => /docs|inspector|page/.test(path))).toEqual([]);
  });
});

describe('/inspector', () => {
  it('is off by default, with its files', async () => {
    await using host = await hosted();
    const status = async (url: string) => [
      (await got(host.server, url)).statusCode,
      (await got(host.server, url, ANN)).statusCode,
    ];

    for (const url of ['/inspector', '/page/inspector.js', '/page/session-view.js'])
      expect(await status(url)).toEqual([401, 404]);
    expect(await status('/page/api.js')).toEqual([200, 200]);
  });

  it.each<[HttpOptions, string]>([
    [{ inspector: true }, 'inspector needs sessions'],
    [{ inspector: true, token: 't' }, 'inspector needs sessions'],
    [{ inspector: 'yes' as unknown as boolean }, 'inspector must be'],
  ])('is refused with %j', (options, words) => {
    expect(() => createApp(options)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', message: expect.stringContaining(words) }),
    );
  });

  it('may be said to be off without sessions', async () => {
    expect((await createApp({ inspector: false }).request('http://127.0.0.1/inspector')).status).toBe(404);
  });

  it('may answer questions: the origin of the server itself is taken, and without the inspector it is not', async () => {
    const statusOf = async (inspector: boolean, origin: string) => {
      await using host = await hosted({}, { inspector });
      const path = await host.made();
      const headers = { host: '127.0.0.1:3000', origin };
      return (await host.ask('POST', `${path}/answers`, POST, headers)).statusCode;
    };

    expect(await statusOf(true, 'http://127.0.0.1:3000')).toBe(409);
    expect(await statusOf(false, 'http://127.0.0.1:3000')).toBe(403);
    for (const other of [
      'http://127.0.0.1:3001',
      'http://localhost:3000',
      'null',
      'https://evil.example',
      'http://127.0.0.1:3000.evil.example',
    ]) {
      expect(await statusOf(true, other)).toBe(403);
    }
  });
});
