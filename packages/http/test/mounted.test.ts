import { memoryStore } from '@x/session';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { createApp } from '../src/index.ts';
import { sessionHost } from '../src/sessions/index.ts';
import { ANN, profileOf, TOKENS } from './support/hosted.ts';
import { toolsOf } from './support/served.ts';

const JSON_OF_ANN = { ...ANN, 'content-type': 'application/json' };
const post = (body: string) => ({ method: 'POST', headers: JSON_OF_ANN, body });

function app() {
  const sessions = sessionHost({ store: memoryStore(), profiles: { chat: profileOf() } });
  return createApp({ registry: toolsOf(), tokens: TOKENS, sessions });
}

describe.each(['', '/api'])('an app that is mounted at "%s"', (base) => {
  const mounted = base === '' ? app() : new Hono().route(base, app());
  const headers = JSON_OF_ANN;

  it('leads from the paths without a version to its own', async () => {
    const list = await mounted.request(`${base}/tools?tag=math`, { headers });
    const call = await mounted.request(`${base}/tools/call`, post('{"name":"add-one"}'));

    expect([list.status, list.headers.get('location')]).toEqual([302, `${base}/v1/tools?tag=math`]);
    expect([call.status, call.headers.get('location')]).toEqual([307, `${base}/v1/tools/call`]);
  });

  it('gives a session a Location at which it is found', async () => {
    const made = await mounted.request(`${base}/v1/sessions`, post('{}'));
    const found = await mounted.request(made.headers.get('location')!, { headers });

    expect(found.status).toBe(200);
    expect(await found.json()).toEqual(await made.json());
  });

  it('names its place in its document', async () => {
    const document = await mounted.request(`${base}/openapi.json`, { headers });

    expect(await document.json()).toMatchObject({ servers: [{ url: base || '/' }] });
  });
});

describe('an app in another one', () => {
  it('has no route with a slash more than where it is mounted', async () => {
    const answer = await new Hono().route('/api', app()).request('/api/', { headers: ANN });

    expect([answer.status, answer.headers.get('allow')]).toEqual([404, null]);
  });

  it('takes a body that a middleware before it has read, and judges it no less', async () => {
    const parent = new Hono()
      .use(async (context, next) => {
        await context.req.text();
        await next();
      })
      .route('/', createApp({ registry: toolsOf(), tokens: TOKENS, maxBodyBytes: 100 }));
    const called = await parent.request('/v1/tools/call', post('{"name":"add-one","parameters":{"a":1}}'));
    const wrong = await parent.request('/v1/tools/call', post('{"name":"add-one","__proto__":{}}'));
    const large = await parent.request('/v1/tools/call', post(`{"name":"${'x'.repeat(100)}"}`));

    expect([called.status, await called.json()]).toMatchObject([200, { result: 2 }]);
    expect([wrong.status, large.status]).toEqual([400, 413]);
  });
});
