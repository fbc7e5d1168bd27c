import { describe, expect, it } from 'vitest';
import { appUntil } from '../src/create-app.ts';
import { createServer, type InjectedRequest } from '../src/index.ts';
import { Contract, documentOf } from './support/contract.ts';
import { got, served, toolsOf } from './support/served.ts';

const TOKEN = 'correct-horse';
const authorization = `Bearer ${TOKEN}`;
const call = (payload: unknown, headers = {}): InjectedRequest => ({
  method: 'POST',
  url: '/v1/tools/call',
  headers: { authorization, ...headers },
  payload,
});
const search = (payload: unknown, headers = {}): InjectedRequest => ({
  ...call(payload, headers),
  url: '/v1/tools/search',
});
const get = (url: string, headers = {}): InjectedRequest => ({
  method: 'GET',
  url,
  headers: { authorization, ...headers },
});
const text = { 'content-type': 'text/plain' };
const large = { 'content-length': '9999999' };
const evil = { host: 'evil.example' };

/** A request for each answer that is documented, but for those of the rate limit. */
const requests: readonly InjectedRequest[] = [
  ...['/', '/ready', '/tools', '/openapi.json', '/v1/tools', '/v1/tools/add-one'].flatMap((url) => [
    get(url),
    get(url, evil),
    get(url, large),
    get(url, { authorization: 'Bearer wrong' }),
  ]),
  get('/v1/tools?page=0'),
  get('/v1/tools/nope'),
  get('/v1/tools/a%00b'),
  ...['/v1/tools/call', '/v1/tools/search', '/tools/call'].flatMap((url) => [
    { ...call({}), url },
    { ...call({}, evil), url },
    { ...call({}, large), url },
    { ...call({}, { authorization: '' }), url },
    { ...call('{}', text), url },
  ]),
  search({ query: 'add' }),
  call({ name: 'add-one', parameters: { a: 1 } }),
  call({ name: 'is-off' }),
  call({ name: 'nope' }),
  call({ name: 'is-late' }),
  call({ name: 'fails-foreign' }),
  call({ name: 'fails-with-status' }),
];

describe('GET /openapi.json', () => {
  it('H38 describes exactly the routes that there are', async () => {
    const { paths } = await documentOf(await served());
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );

    expect(operations).toEqual([
      'get /',
      'get /ready',
      'get /tools',
      'post /tools/call',
      'get /v1/tools',
      'get /v1/tools/{name}',
      'post /v1/tools/search',
      'post /v1/tools/call',
      'get /openapi.json',
    ]);
  });

  it('H30 H38 needs a token where there is one, and says so', async () => {
    const server = await served({ token: TOKEN });
    const open = await documentOf(await served());

    expect((await got(server, '/openapi.json')).statusCode).toBe(401);
    expect(await documentOf(server, { authorization })).toMatchObject({
      openapi: '3.1.1',
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
      paths: { '/': { get: { security: [] } }, '/v1/tools': { get: { security: [{ bearer: [] }] } } },
    });
    expect(open.components).not.toHaveProperty('securitySchemes');
    expect(open.paths['/v1/tools']?.['get']?.responses).not.toHaveProperty('401');
  });
});

describe('the contract', () => {
  it('H38 holds for every answer, and every documented answer is reached', async () => {
    const server = await served({ token: TOKEN });
    const contract = new Contract(await documentOf(server, { authorization }));
    const faults: string[] = [];
    for (const request of requests)
      faults.push(...contract.faults(request.method, request.url, await server.inject(request)));
    const closing = await appUntil({ token: TOKEN }, AbortSignal.abort()).request('http://127.0.0.1/ready');
    const { status: statusCode, headers } = closing;
    const [own, body] = [Object.fromEntries(headers), await closing.text()];
    faults.push(...contract.faults('GET', '/ready', { statusCode, headers: own, body, json: () => JSON.parse(body) }));
    const documented = contract.documented().filter((one) => !/ (429|500)$/.test(one));

    expect(faults).toEqual([]);
    expect(documented.filter((one) => !contract.reached.has(one))).toEqual([]);
  });

  it('H38 holds for 429 and for 500 on every route that works', async () => {
    const limited = await served({ rateLimit: { max: 1, timeWindow: 60_000 } });
    const registry = toolsOf();
    registry.page =
      registry.get =
      registry.search =
      registry.execute =
        () => {
          throw new Error('disk is full');
        };
    const broken = await createServer({ registry });
    const contract = new Contract(await documentOf(limited));
    const faults: string[] = [];
    for (const request of requests.filter(({ headers }) => headers?.['authorization'] === authorization)) {
      faults.push(...contract.faults(request.method, request.url, await limited.inject(request)));
      faults.push(...contract.faults(request.method, request.url, await broken.inject(request)));
    }

    expect(faults).toEqual([]);
    expect([...contract.reached].filter((one) => one.endsWith(' 429'))).toHaveLength(9);
    expect([...contract.reached].filter((one) => one.endsWith(' 500'))).toEqual(
      ['get /v1/tools 500', 'get /v1/tools/{name} 500', 'post /v1/tools/search 500', 'post /v1/tools/call 500'].map(
        (one) => expect.stringMatching(one.replace(/[{}]/g, '.')),
      ),
    );
  });

  it('would be seen to be broken (control)', async () => {
    const server = await served();
    const contract = new Contract(await documentOf(server));
    const answer = await got(server, '/v1/tools');
    const broken = { ...answer, body: answer.body.replace('"total":', '"totl":') };

    expect(contract.faults('GET', '/v1/tools', answer)).toEqual([]);
    expect(contract.faults('GET', '/v1/tools', broken).join()).toContain("must have required property 'total'");
    expect(contract.faults('GET', '/v1/tools', { ...answer, statusCode: 418 }).join()).toContain('is not documented');
    expect(contract.faults('GET', '/v1/tools', { ...answer, headers: {} }).join()).toContain('no header X-Request-Id');
  });
});
