import { ToolRegistry } from '@x/registry';
import { describe, expect, it } from 'vitest';
import { createApp, createServer } from '../src/index.ts';
import { lineLogger } from '../src/log/line-logger.ts';
import { called, got, keptLog, posted, SECRET, served, toolsOf } from './support/served.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
/** A registry whose list fails with a thrown value. */
function broken(thrown: unknown): ToolRegistry {
  const registry = new ToolRegistry();
  registry.page = () => {
    throw thrown;
  };
  return registry;
}

describe('errors', () => {
  it('H24 shows the words of a foreign error, and in production none', async () => {
    const shown = await got(
      await served({ registry: broken(new Error('disk is full')), production: false }),
      '/v1/tools',
    );
    const hidden = await got(
      await served({ registry: broken(new Error('disk is full')), production: true }),
      '/v1/tools',
    );

    expect([shown.statusCode, shown.json()]).toEqual([
      500,
      { success: false, error: 'disk is full', code: 'INTERNAL_ERROR' },
    ]);
    expect([hidden.statusCode, hidden.json()]).toEqual([
      500,
      {
        success: false,
        error: 'Internal server error',
        code: 'INTERNAL_ERROR',
        requestId: hidden.headers['x-request-id'],
      },
    ]);
  });

  it.each([['text'], [null], [undefined], [{ message: 'an object' }], [7]])(
    'H42 answers %j, which is no Error',
    async (thrown) => {
      const answer = await got(await served({ registry: broken(thrown) }), '/v1/tools');

      expect([answer.statusCode, answer.json()]).toEqual([
        500,
        { success: false, error: 'Unknown error', code: 'INTERNAL_ERROR' },
      ]);
    },
  );

  it.each([
    ['GET', '/nope', 404, 'NOT_FOUND'],
    ['GET', '/v1', 404, 'NOT_FOUND'],
    ['POST', '/v1/tools/call/x', 404, 'NOT_FOUND'],
    ['DELETE', '/v1/tools', 405, 'METHOD_NOT_ALLOWED'],
    ['PUT', '/v1/tools/call', 405, 'METHOD_NOT_ALLOWED'],
    ['POST', '/openapi.json', 405, 'METHOD_NOT_ALLOWED'],
    ['OPTIONS', '/v1/tools', 405, 'METHOD_NOT_ALLOWED'],
    ['DELETE', '/v1/tools/add-one', 405, 'METHOD_NOT_ALLOWED'],
  ])('H26 answers %s %s with %i, in the form of all errors', async (method, url, status, code) => {
    const answer = await (await served()).inject({ method, url });

    expect([answer.statusCode, answer.json()]).toEqual([status, { success: false, error: expect.any(String), code }]);
    expect(answer.headers['allow'] === undefined).toBe(status === 404);
  });

  it('H25 logs every error with its error, url and method', async () => {
    const { logger, lines } = keptLog();
    const server = await served({ logger, registry: broken(new Error('disk is full')) });

    await got(server, '/v1/tools?page=1');
    await got(server, '/v1/tools/nope');
    await posted(server, '/nope', {});

    const errors = lines.filter(({ level }) => level === 'error').map(({ fields }) => fields);
    expect(errors).toMatchObject([
      {
        err: { name: 'Error', message: 'disk is full' },
        url: 'http://localhost/v1/tools?page=1',
        method: 'GET',
        statusCode: 500,
      },
      {
        err: { name: 'ToolNotFoundError', code: 'TOOL_NOT_FOUND' },
        url: 'http://localhost/v1/tools/nope',
        method: 'GET',
      },
      { err: { code: 'NOT_FOUND' }, url: 'http://localhost/nope', method: 'POST' },
    ]);
  });

  it('ZH01e ZH10 hides words, stacks, paths and keys in production, and logs them without the secrets', async () => {
    const { logger, lines } = keptLog();
    const server = await served({ production: true, secrets: [SECRET], logger });

    const foreign = await called(server, { name: 'fails-foreign' });
    const own = await called(server, { name: 'fails-with-status' });

    expect(foreign.json()).toMatchObject({ error: 'Tool execution failed: fails-foreign' });
    expect(own.json()).toMatchObject({
      error: 'Internal server error',
      code: 'UPSTREAM',
      requestId: expect.any(String),
    });
    expect(foreign.body + own.body).not.toMatch(/secret|\/home|\/etc|\bat /);
    const logged = JSON.stringify(lines);
    expect(logged).toContain('at /home/me/[redacted]');
    expect(logged).toContain('upstream /etc/[redacted]');
    expect(logged).toContain(own.headers['x-request-id']);
    expect(logged).not.toContain(SECRET);
  });

  it('ZH10 shows the words of an error of the caller in production too, without the token', async () => {
    const server = await served({ production: true, token: SECRET });
    const headers = { authorization: `Bearer ${SECRET}` };

    const answer = await got(server, `/v1/tools/a-${SECRET}`, headers);

    expect([answer.statusCode, answer.json().error]).toEqual([404, 'Tool not found: a-[redacted]']);
  });
});

describe('bodies', () => {
  const sent = async (payload: string | Uint8Array, headers: Record<string, string> = JSON_TYPE) =>
    await (await served()).inject({ method: 'POST', url: '/v1/tools/call', headers, payload });
  const valid = '{"name":"add-one","parameters":{"a":1}}';

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json; charset=utf-16',
    'text/plain; application/json',
    '',
  ])('H35 ZH01c refuses the type %j', async (type) => {
    const answer = await sent(valid, { 'content-type': type });

    expect([answer.statusCode, answer.json().code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it.each(['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf-8"'])(
    'H35 takes the type %s',
    async (type) => {
      expect((await sent(valid, { 'content-type': type })).statusCode).toBe(200);
    },
  );

  it('H35 refuses a body that is compressed', async () => {
    expect((await sent(valid, { ...JSON_TYPE, 'content-encoding': 'gzip' })).statusCode).toBe(415);
  });

  it.each([['{'], [''], ['{"name":}'], ["{'name':1}"], [new Uint8Array([0x22, 0xff, 0x22])], ['{"name":"a"}{}']])(
    'H35 ZH01d refuses %j as malformed',
    async (payload) => {
      const answer = await sent(payload);

      expect([answer.statusCode, answer.json()]).toMatchObject([
        400,
        { code: 'VALIDATION_ERROR', details: [{ path: '' }] },
      ]);
    },
  );

  it.each([
    ['65 levels', `{"name":"add-one","parameters":{"a":1,"b":${'['.repeat(63)}${']'.repeat(63)}}}`],
    ['500,000 levels', '['.repeat(500_000) + ']'.repeat(500_000)],
    ['10,001 keys', `{"name":"add-one","x":{${Array.from({ length: 10_001 }, (_, key) => `"k${key}":1`).join(',')}}}`],
    ['__proto__', '{"name":"add-one","parameters":{"a":1,"__proto__":{"polluted":1}}}'],
    ['constructor', '{"name":"add-one","parameters":{"a":1},"x":[{"constructor":{"prototype":{"polluted":1}}}]}'],
    ['prototype', '{"name":"add-one","prototype":1}'],
  ])('ZH01j ZH01k ZH06 refuses a body with %s before the tool is looked at', async (_, payload) => {
    const answer = await sent(payload);

    expect([answer.statusCode, answer.json()]).toMatchObject([400, { error: 'Validation failed', details: [{}] }]);
    expect(answer.json()).not.toHaveProperty('executionTime');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('ZH01j takes 64 levels and 10,000 keys', async () => {
    const levels = `{"name":"add-one","parameters":{"a":1},"x":${'['.repeat(63)}${']'.repeat(63)}}`;
    const keys = `{"name":"add-one","parameters":{"a":1},"x":{${Array.from({ length: 9_996 }, (_, key) => `"k${key}":1`).join(',')}}}`;

    expect([(await sent(levels)).statusCode, (await sent(keys)).statusCode]).toEqual([200, 200]);
  });

  it.each([
    ['with a length', 1_048_577, '/v1/tools/call'],
    ['with a length', 1_048_577, '/nope'],
    ['with a length that is wrong', 1, '/v1/tools/call'],
    ['in chunks', undefined, '/v1/tools/call'],
    ['in chunks', undefined, '/nope'],
  ])('ZH01g refuses 1 MiB and a byte %s (%j) at %s', async (_, length, url) => {
    const app = createApp({ registry: toolsOf() });
    const headers = { ...JSON_TYPE, ...(length ? { 'content-length': String(length) } : {}) };
    const body = new Blob([new Uint8Array(1_048_577)]).stream();
    const answer = await app.request(url, { method: 'POST', headers, body, duplex: 'half' });

    expect([answer.status, await answer.json()]).toMatchObject([413, { success: false, code: 'PAYLOAD_TOO_LARGE' }]);
  });

  it('ZH01g takes a body of exactly the limit, and stops reading behind it', async () => {
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(64));
      },
    });
    const app = createApp({ registry: toolsOf(), maxBodyBytes: valid.length });
    const answers = [
      await app.request('/v1/tools/call', { method: 'POST', headers: JSON_TYPE, body: valid }),
      await app.request('/v1/tools/call', {
        method: 'POST',
        headers: JSON_TYPE,
        body: endless,
        duplex: 'half',
      }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 413]);
    expect(pulled).toBeLessThan(5);
  });

  it('answers 400 for a body whose sender goes away', async () => {
    const body = new ReadableStream({ start: (controller) => controller.error(new Error('gone')) });
    const answer = await createApp().request('/v1/tools/call', {
      method: 'POST',
      headers: JSON_TYPE,
      body,
      duplex: 'half',
    });

    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'VALIDATION_ERROR' }]);
  });
});

describe('the log', () => {
  it('ZH07 is one line for each entry, whatever a request holds', async () => {
    const written: string[] = [];
    const server = await createServer({ logger: lineLogger((line) => written.push(line)), registry: toolsOf() });
    const hostile = 'a\r\nb\u001b[2Jc\u2028d\u2029e\u0085f\u202eg\u009bh';

    await called(server, { name: hostile });
    await got(server, `/v1/tools/${encodeURIComponent(hostile)}`);

    expect(written).toHaveLength(4);
    for (const line of written) expect(line).toMatch(/^\{[ -~]*\}\n$/);
    expect(JSON.parse(written[0]!).err.message).toBe(`Tool not found: ${hostile}`);
  });

  it.each([
    ['error', ['error']],
    ['info', ['error', 'info']],
    ['fatal', []],
  ] as const)('C07 has at the level %s the lines of %j', async (logLevel, levels) => {
    const { logger, lines } = keptLog();

    await got(await served({ logLevel, logger }), '/nope');

    expect(lines.map(({ level }) => level)).toEqual(levels);
  });
});
