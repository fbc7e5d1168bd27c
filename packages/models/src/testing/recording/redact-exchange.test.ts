import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { folder, KEY, recorded, textOfChunks } from '../../../test/recorded-exchanges.ts';
import { readRecordings, recordingProxy, wireServer } from '../index.ts';

const ORGANISATION = 'org-abcdefghijklmnop1234';

describe('what recordingProxy redacts', () => {
  const json = { 'content-type': 'application/json' };

  it('takes the secrets of known places out of everything', async () => {
    const secrets = [
      'token-of-a-bearer',
      'x-key-4711',
      'azure-key-4711',
      'goog-key-4711',
      'cookie-value-1',
      'query-key-4711',
    ];
    const [bearer, xKey, azure, google, cookie, query] = secrets;
    const said = secrets.map((secret) => `you said ${secret}`).join(', ');
    const answer = {
      status: 401,
      headers: {
        ...json,
        'set-cookie': ['session=set-cookie-4711; path=/', 'b=c'],
        'openai-organization': 'acme-corporation',
      },
      body: JSON.stringify({ error: { message: `${said}; set-cookie-4711 of acme-corporation in ${ORGANISATION}` } }),
    };

    const recordings = await recorded(answer, ({ url }) =>
      fetch(`${url}/v1/${xKey}?key=${query}&alt=sse`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${bearer}`,
          'x-api-key': xKey ?? '',
          'api-key': azure ?? '',
          'x-goog-api-key': google ?? '',
          cookie: `a=${cookie}; b=1`,
          'openai-project': 'proj_number_one',
          'x-echo': `again ${azure}`,
        },
        body: JSON.stringify({ said, project: 'proj_number_one' }),
      }),
    );

    const text = JSON.stringify(recordings);
    for (const secret of [...secrets, 'set-cookie-4711', 'acme-corporation', 'proj_number_one', ORGANISATION]) {
      expect(text).not.toContain(secret);
    }
    expect(recordings[0]?.request.path).toBe('/v1/REDACTED?key=REDACTED&alt=sse');
    expect(recordings[0]?.request.headers).toEqual(
      expect.arrayContaining([
        ['authorization', 'REDACTED'],
        ['x-echo', 'again REDACTED'],
        ['cookie', 'REDACTED'],
      ]),
    );
    expect(recordings[0]?.answer?.headers.filter(([name]) => name === 'set-cookie')).toEqual([
      ['set-cookie', 'REDACTED'],
      ['set-cookie', 'REDACTED'],
    ]);
    expect(textOfChunks(recordings[0]!)).toContain('you said REDACTED, you said REDACTED');
  });

  it.each([
    { tools: [{ type: 'mcp', authorization: 'of-a-server-4711' }] },
    { tools: [{ type: 'mcp', headers: { Authorization: 'of-a-server-4711', 'X-Api-Key': 'of-a-server-4711' } }] },
    { mcp_servers: [{ type: 'url', authorization_token: 'of-a-server-4711' }] },
  ])('takes out what gives access to servers of a service, also from the answer: %j', async (body) => {
    const recordings = await recorded({ headers: json, body: '{"no":"of-a-server-4711"}' }, ({ url }) =>
      fetch(url, { method: 'POST', body: JSON.stringify(body) }),
    );

    expect(JSON.stringify(recordings)).toContain('REDACTED');
    expect(JSON.stringify(recordings)).not.toContain('of-a-server-4711');
  });

  it.each([
    ['a password of a basic authorisation', { authorization: `Basic ${btoa('user:open-sesame')}` }, 'open-sesame'],
    ['a key that only looks like one', {}, 'sk-proj-abcdefghijklmnopqrstuvwxyz'],
    ['a key of Google', {}, `AIza${'Sy4711'.repeat(6)}`],
    ['the number of a project', {}, 'projects/123456789012'],
  ])('takes out %s', async (_what, headers, secret) => {
    const body = JSON.stringify({ message: `it is ${secret}.` });

    const recordings = await recorded({ headers: json, body }, ({ url }) => fetch(url, { headers }));

    expect(textOfChunks(recordings[0]!)).toMatch(/^\{"message":"it is (?:projects\/)?REDACTED\."\}$/);
  });

  it('leaves counts of tokens, and all that is no secret, as it is', async () => {
    const headers = { ...json, 'x-ratelimit-remaining-tokens': '4711', 'x-request-id': 'req_1', 'retry-after': '3' };
    const body = '{"usage":{"total_tokens":12},"text":"task-force, a risk-free desk-top at org-level"}';

    const recordings = await recorded({ headers, body }, ({ url }) => fetch(url));

    expect(textOfChunks(recordings[0]!)).toBe(body);
    expect(recordings[0]?.answer?.headers).toEqual(expect.arrayContaining(Object.entries(headers)));
  });

  it('finds a secret that a model has said piece by piece', async () => {
    const deltas = ['Your key is key-', 'of-the', '-test-', '4711, keep it'];
    const events = deltas.map((content, index) =>
      [
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }], usage: null })}\n\n`,
        `data: ${JSON.stringify({ choices: [{ index: 1, delta: { content: `${index}` } }] })}\n\n`,
      ].join(''),
    );

    const recordings = await recorded({ body: events.join('') }, ({ url }) =>
      fetch(url, { headers: { 'x-api-key': KEY } }).then((response) => response.text()),
    );

    const said = [...(textOfChunks(recordings[0]!) ?? '').matchAll(/"index":0.*"content":"([^"]*)"/g)].map((m) => m[1]);
    expect(said).toEqual(['Your key is REDACTED', '', '', ', keep it']);
  });

  it('finds it in the arguments of a call as well, where it stands in JSON inside JSON', async () => {
    const secret = 'pa"ss\\w\u00f6rd-4711';
    const fragments = JSON.stringify({ password: secret }).match(/.{1,4}/gs) ?? [];
    const body = fragments.map((partial_json) => `data: ${JSON.stringify({ delta: { partial_json }, index: 1 })}\n\n`);

    const recordings = await recorded({ body: body.join('') }, ({ url }) => fetch(url).then((r) => r.text()), {
      redact: [secret],
    });

    const events = (textOfChunks(recordings[0]!) ?? '').split('\n\n').filter((event) => event !== '');
    const said = events.map(
      (event) => (JSON.parse(event.slice(6)) as { delta: { partial_json: string } }).delta.partial_json,
    );
    expect(said.join('')).toBe('{"password":"REDACTED"}');
  });

  it.each([['wire-recording'], ['REDACTED'], ['"status"']])(
    'keeps nothing rather than a recording that must show %s',
    async (secret) => {
      const directory = await folder();
      await using server = await wireServer({ body: `it is ${secret}` });
      const proxy = await recordingProxy({ target: server.url, directory, redact: [secret] });
      await fetch(proxy.url).then((response) => response.text());

      await expect(proxy.close()).rejects.toMatchObject({ code: 'RECORDING_FAILED' });

      expect(await readdir(directory)).toEqual([]);
    },
  );

  const plain = fc.string({
    minLength: 8,
    maxLength: 40,
    size: 'max',
    unit: fc.constantFrom(...Array.from('abcdefXYZ0123456789-_')),
  });
  const odd = fc.string({
    minLength: 8,
    maxLength: 20,
    size: 'max',
    unit: fc.constantFrom(...Array.from('aZ9"\\/\u00e9\u4e2d \u{1F30D}<&+=%')),
  });
  const secret = fc.oneof(plain, odd).filter((text) => !/REDACTED|[a-z]{2}/.test(text) && text.trim().length >= 8);
  const writings = [
    (text: string) => text,
    (text: string) => JSON.stringify(text).slice(1, -1),
    (text: string) => JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1),
    (text: string) => encodeURIComponent(text),
    (text: string) => btoa(`user:${Buffer.from(text).toString('latin1')}!`),
  ];

  test.prop(
    [
      fc.array(fc.tuple(secret, fc.nat({ max: writings.length - 1 })), { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat({ max: 100_000 }), { maxLength: 30, size: 'max' }),
    ],
    { numRuns: 100 },
  )('no byte of a secret is in a file, wherever it stands and however it is split', async (secrets, cuts) => {
    const directory = await folder();
    const written = secrets.map(([text, how]) => writings[how]!(text));
    const body = Buffer.from(written.map((text) => `data: {"text":"before ${text}${text} after"}\n\n`).join(''));
    const ends = [...cuts.map((cut) => cut % body.length).toSorted((a, b) => a - b), body.length];
    const chunks = ends.map((end, index) => body.subarray(ends[index - 1] ?? 0, end));
    const inHeader = Buffer.from(written.join(' ')).toString('latin1').trim();

    await recorded(
      { chunks },
      async ({ url }) => {
        const response = await fetch(`${url}/a/${secrets.map(([text]) => encodeURIComponent(text)).join('/')}?q=1`, {
          method: 'POST',
          headers: { 'x-some': inHeader },
          body: written.join('\n'),
        });
        expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
      },
      { directory, redact: secrets.map(([text]) => text) },
    );

    const [name = ''] = await readdir(directory);
    const file = await readFile(join(directory, name), 'utf8');
    const [recording] = await readRecordings(directory);
    const sent = recording!.request.body;
    expect(sent).toHaveProperty('text');
    const all = [
      file,
      (sent as { text: string }).text,
      textOfChunks(recording!),
      decodeURIComponent(recording!.request.path),
    ].join('\n');
    for (const [text] of secrets) {
      for (const writing of writings.slice(0, 4)) expect(all.includes(writing(text))).toBe(false);
      expect(all.includes(writings[4]!(text).slice(8, -8))).toBe(false);
    }
    expect(textOfChunks(recording!)?.split('before ').length).toBe(secrets.length + 1);
  });
});
