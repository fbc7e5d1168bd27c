import { fc, test } from '@fast-check/vitest';
import { memoryStore } from '@x/session';
import { describe, expect } from 'vitest';
import { createApp, createServer } from '../../src/index.ts';
import { sessionHost } from '../../src/sessions/index.ts';
import { Contract, documentOf } from '../support/contract.ts';
import { ANN, profileOf, TOKENS } from '../support/hosted.ts';
import { routesOfOne } from '../support/session-requests.ts';

const newHost = () => sessionHost({ profiles: { chat: profileOf() }, store: memoryStore() });
const sessions = newHost();
const app = createApp({ tokens: TOKENS, sessions, production: true });
const contract = new Contract(await documentOf(await createServer({ tokens: TOKENS, sessions: newHost() }), ANN));

const TEXTS = [
  '',
  ' ',
  '__proto__',
  '../..',
  '\u0000',
  '\ud800',
  'x'.repeat(300),
  '1',
  'next',
  'allow',
  '/compact',
  '9.00000000',
];
const text = fc.constantFrom(...TEXTS);
const KEYS =
  'text priority maxTurns profile title metadata message messageId callId answer behavior remember messages role parts type state approval id content resume interruptId status files';
const key = fc.constantFrom(...KEYS.split(' '));
const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 3 }, text, fc.integer(), fc.boolean(), fc.constant(null), tie('list'), tie('object')),
  list: fc.array(tie('any'), { maxLength: 3 }),
  object: fc.dictionary(key, tie('any'), { maxKeys: 5 }),
}));
const headers = fc.dictionary(
  fc.constantFrom('idempotency-key', 'last-event-id'),
  fc.constantFrom('a', 'a b', '9.00000000', 'x'.repeat(300)),
  { maxKeys: 2 },
);
const query = fc.constantFrom(
  '',
  '?limit=0',
  '?limit=1&limit=2',
  '?before=',
  '?from=%00',
  '?from=1.abc',
  '?cursor=x',
  '?state=none',
);
const request = fc.record({
  route: fc.constantFrom(...routesOfOne.filter(([method, path]) => method !== 'DELETE' && path !== '/close')),
  isList: fc.integer({ min: 0, max: 5 }),
  id: fc.option(text, { freq: 5 }),
  body: fc.oneof(value.object, value.any),
  spoilt: fc.integer({ min: 0, max: 20 }),
  headers,
  query,
});

const made = await app.request('/v1/sessions', {
  method: 'POST',
  headers: { ...ANN, 'content-type': 'application/json' },
  body: '{}',
});
const { sessionId } = (await made.json()) as { sessionId: string };

describe('malformed requests to sessions', () => {
  test.prop([fc.array(request, { minLength: 1, maxLength: 10 })], { numRuns: 300 })(
    'ZH05 are answered as the document says',
    async (all) => {
      const faults: unknown[] = [];
      for (const one of all) {
        const [method, path, sound] = one.route;
        const place =
          one.isList === 0
            ? '/v1/sessions'
            : `/v1/sessions/${encodeURIComponent((one.id ?? sessionId).toWellFormed())}${path}`;
        const json = JSON.stringify(one.spoilt === 1 ? sound : one.body);
        const answer = await app.request(place + one.query, {
          method,
          headers: { ...ANN, 'content-type': 'application/json', ...one.headers },
          ...(method === 'GET' ? {} : { body: one.spoilt === 0 ? json.slice(1) : json }),
        });
        const isStream = answer.headers.get('content-type') === 'text/event-stream';
        if (isStream) await answer.body?.cancel();
        const body = isStream ? '' : await answer.text();
        const injected = {
          statusCode: answer.status,
          headers: Object.fromEntries(answer.headers),
          body,
          json: () => undefined,
        };
        faults.push(...contract.faults(method, place, injected));
        if (answer.status >= 500) faults.push([place, json, body]);
      }

      expect(faults).toEqual([]);
    },
  );
});
