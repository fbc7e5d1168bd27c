import { describe, expect, it, vi } from 'vitest';
import { createApp, type HttpOptions } from '../src/index.ts';
import { bearerName, isSameText } from '../src/security/bearer.ts';
import { RateLimit } from '../src/security/rate-limit.ts';
import { got, keptLog, served, toolsOf } from './support/served.ts';

const TOKEN = 'correct-horse';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('tokens', () => {
  it.each([
    [{}],
    [bearer('wrong-horse!!')],
    [bearer('')],
    [bearer(`${TOKEN}x`)],
    [bearer(TOKEN.slice(1))],
    [{ authorization: TOKEN }],
    [{ authorization: `Basic ${TOKEN}` }],
    [{ authorization: `Bearer ${TOKEN} ${TOKEN}` }],
    [bearer('x'.repeat(5_000))],
  ])('H30 refuses %j on every route, known or not', async (headers) => {
    const server = await served({ token: TOKEN });

    for (const url of ['/v1/tools', '/v1/tools/add-one', '/tools', '/openapi.json', '/nope', '/v1/tools?page=0']) {
      const answer = await got(server, url, headers);
      expect([answer.statusCode, answer.json()]).toEqual([
        401,
        { success: false, error: 'A valid bearer token is required', code: 'AUTHENTICATION_ERROR' },
      ]);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
  });

  it('H30 H48 lets in with the token, or one of several', async () => {
    const server = await served({ token: TOKEN, tokens: [{ name: 'ben', token: 'battery' }] });

    expect((await got(server, '/v1/tools', bearer(TOKEN))).statusCode).toBe(200);
    expect((await got(server, '/v1/tools', { authorization: 'bearer battery' })).statusCode).toBe(200);
    expect(bearerName('Bearer battery', [{ name: 'ben', token: 'battery' }])).toBe('ben');
  });

  it('H46 answers GET / without one', async () => {
    const server = await served({ token: TOKEN });

    expect((await got(server, '/')).statusCode).toBe(200);
    expect((await server.inject({ method: 'POST', url: '/' })).statusCode).toBe(401);
  });

  it('H30 ZH02 answers 401 before the body is read', async () => {
    const pull = vi.fn();
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const app = createApp({ registry: toolsOf(), token: TOKEN });
    const answer = await app.request('/v1/tools/call', { method: 'POST', body, duplex: 'half' });

    expect([answer.status, pull.mock.calls.length]).toEqual([401, 0]);
  });

  it('ZH02 looks at as many characters of any wrong token', () => {
    const looked = (text: string) => {
      const charCodeAt = vi.fn((index: number) => text.charCodeAt(index));
      return [isSameText({ length: text.length, charCodeAt }, TOKEN), charCodeAt.mock.calls.length];
    };

    for (const wrong of ['', 'x', 'xorrect-horse', 'correct-horsx', 'x'.repeat(512), 'x'.repeat(5_000)]) {
      expect(looked(wrong)).toEqual([false, TOKEN.length]);
    }
    expect(looked(TOKEN)).toEqual([true, TOKEN.length]);
  });
});

describe('Host and Origin', () => {
  const statusOf = async (headers: Record<string, string>, options: HttpOptions = {}) =>
    (await got(await served(options), '/v1/tools', headers)).statusCode;

  it.each([
    'evil.attacker.com',
    '127.0.0.1.evil.com',
    'localhost.',
    '127.0.0.1:80@evil.com',
    '[::2]',
    'localhost:1:2',
    '',
  ])('H30 ZH01a refuses the Host %j', async (host) => {
    const answer = await got(await served(), '/', { host });

    expect([answer.statusCode, answer.json().code]).toEqual([403, 'AUTHORIZATION_ERROR']);
  });

  it.each(['127.0.0.1:3000', 'localhost:3000', '[::1]:3000', 'LOCALHOST', '127.0.0.1'])(
    'ZH01a takes the Host %s',
    async (host) => {
      expect(await statusOf({ host })).toBe(200);
    },
  );

  it('ZH01a takes configured hosts, and the address that it listens on', async () => {
    const options = { allowedHosts: ['Tools.example.com', 'a.example.com:8080'], host: '10.0.0.5', token: TOKEN };
    const status = (host: string) => statusOf({ host, ...bearer(TOKEN) }, options);

    expect(await status('tools.example.com:99')).toBe(200);
    expect(await status('a.example.com:8080')).toBe(200);
    expect(await status('a.example.com:8081')).toBe(403);
    expect(await status('10.0.0.5:3000')).toBe(200);
    expect(await statusOf({ host: '0.0.0.0:3000' }, { host: '0.0.0.0', token: TOKEN })).toBe(403);
  });

  it('H30 ZH01b refuses an Origin that is not listed, and sends no CORS header', async () => {
    const answer = await got(await served(), '/', { origin: 'https://evil.example' });

    expect([answer.statusCode, answer.json().code]).toEqual([403, 'AUTHORIZATION_ERROR']);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(await statusOf({ origin: 'null' })).toBe(403);
    expect(await statusOf({ origin: 'https://a.example' }, { allowedOrigins: ['https://a.example'] })).toBe(200);
  });
});

describe('CORS', () => {
  const cors = { enabled: true, origin: ['https://a.example', 'https://b.example'] };
  const corsOf = (headers: Readonly<Record<string, string>>) => headers['access-control-allow-origin'];

  it('C05 C06 sends the header to the listed origins alone, with errors too', async () => {
    const server = await served({ cors, token: TOKEN });
    const from = async (origin: string) => await got(server, '/v1/tools', { origin, ...bearer(TOKEN) });

    expect(corsOf((await from('https://a.example')).headers)).toBe('https://a.example');
    expect(corsOf((await from('https://b.example')).headers)).toBe('https://b.example');
    expect(corsOf((await from('https://c.example')).headers)).toBeUndefined();
    expect(corsOf((await got(server, '/v1/tools', { origin: 'https://a.example' })).headers)).toBe('https://a.example');
    expect(corsOf((await got(server, '/nope', { origin: 'https://a.example', ...bearer(TOKEN) })).headers)).toBe(
      'https://a.example',
    );
  });

  it('C05 H50 takes every origin with *, and sends nothing when it is not enabled', async () => {
    const all = await got(await served({ cors: { enabled: true, origin: '*' } }), '/', {
      origin: 'https://any.example',
    });
    const off = await got(await served({ cors: { enabled: false, origin: '*' } }), '/', {
      origin: 'https://any.example',
    });

    expect([all.statusCode, corsOf(all.headers)]).toEqual([200, '*']);
    expect([off.statusCode, corsOf(off.headers)]).toEqual([403, undefined]);
  });

  it('H46 answers a preflight without a token, and no other OPTIONS', async () => {
    const server = await served({ cors, token: TOKEN });
    const options = (headers: object) =>
      server.inject({ method: 'OPTIONS', url: '/v1/tools/call', headers: { origin: 'https://a.example', ...headers } });
    const preflight = await options({ 'access-control-request-method': 'POST' });

    expect([preflight.statusCode, corsOf(preflight.headers)]).toEqual([204, 'https://a.example']);
    expect(preflight.headers['access-control-allow-methods']).toContain('POST');
    expect(preflight.headers['access-control-allow-headers']).toContain('Authorization');
    expect((await options({})).statusCode).toBe(401);
    expect((await options({ origin: 'https://c.example', 'access-control-request-method': 'POST' })).statusCode).toBe(
      403,
    );
  });
});

describe('the rate limit', () => {
  it('H29 C08 refuses one request too many of a client, and says when to come back', async () => {
    const server = await served({
      rateLimit: { max: 2, timeWindow: 60_000 },
      token: TOKEN,
      tokens: [{ name: 'ben', token: 'battery' }],
    });
    const asked = (token: string) => got(server, '/v1/tools', bearer(token));

    expect([(await asked(TOKEN)).statusCode, (await asked(TOKEN)).statusCode]).toEqual([200, 200]);
    const answer = await asked(TOKEN);
    expect([answer.statusCode, answer.json().code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(answer.headers['retry-after']).toMatch(/^(60|59)$/);
    expect((await asked('battery')).statusCode).toBe(200);
  });

  it('H29 counts wrong tokens too', async () => {
    const server = await served({ rateLimit: { max: 1, timeWindow: 60_000 }, token: TOKEN });
    const statuses = [await got(server, '/v1/tools', bearer('a')), await got(server, '/v1/tools', bearer('b'))];

    expect(statuses.map(({ statusCode }) => statusCode)).toEqual([401, 429]);
  });

  it('H29 serves the client again after the window', () => {
    let now = 0;
    const limit = new RateLimit({ max: 1, timeWindow: 100 }, () => now);

    expect([limit.take('a'), limit.take('a')]).toEqual([0, 100]);
    now = 99;
    expect([limit.take('a'), limit.take('b')]).toEqual([1, 0]);
    now = 100;
    expect([limit.take('a'), limit.take('b')]).toEqual([0, 99]);
  });

  it('keeps a bounded number of clients, the newest ones', () => {
    const limit = new RateLimit({ max: 1, timeWindow: 100 }, () => 0);
    for (let client = 0; client <= 10_000; client += 1) limit.take(String(client));

    expect([limit.take('10000'), limit.take('0')]).toEqual([100, 0]);
  });

  it('C08 is off by default', async () => {
    const server = await served();
    const answers = await Promise.all(Array.from({ length: 300 }, () => got(server, '/')));

    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  });
});

describe('names in the path', () => {
  it.each([
    '..%2f..%2fetc%2fpasswd',
    '%00',
    'a%00b',
    'a%0d%0ab',
    '..%5c',
    '..%5c..%5cwindows',
    '%2e%2e%2fx',
    '%c2%85',
    'a%7f',
  ])('ZH01f refuses %s before any use', async (name) => {
    const registry = toolsOf();
    const looked = vi.spyOn(registry, 'get');
    const answer = await got(await served({ registry }), `/v1/tools/${name}`);

    expect([answer.statusCode, answer.json().details]).toEqual([400, [{ path: '/name', message: expect.any(String) }]]);
    expect(looked).not.toHaveBeenCalled();
  });
});

describe('every answer', () => {
  it('says its id, and how it is to be read', async () => {
    const { logger, lines } = keptLog();
    const server = await served({ logger });
    const { headers } = await got(server, '/nope', { 'x-request-id': 'mine-1' });
    const odd = await got(server, '/nope', { 'x-request-id': 'a b"c' });

    expect(headers).toMatchObject({
      'x-request-id': 'mine-1',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(lines[0]?.fields.requestId).toBe('mine-1');
    expect(odd.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
  });
});
