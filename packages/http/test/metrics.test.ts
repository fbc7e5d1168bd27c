import { type DataPoint, type Histogram, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { createApp, type HttpOptions } from '../src/index.ts';
import { toolsOf } from './support/served.ts';

/** Gives what has been measured when it is asked. */
class Reader extends MetricReader {
  protected override onShutdown = async () => undefined;
  protected override onForceFlush = async () => undefined;
}

function measured(options: HttpOptions = {}) {
  const reader = new Reader();
  const meter = new MeterProvider({ readers: [reader] }).getMeter('test');
  const metrics = async () => {
    const { resourceMetrics } = await reader.collect();
    return resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
  };
  /** A line for each series: how often, method, route, status, and what else there is. */
  const series = async () =>
    (await metrics()).flatMap(({ dataPoints }) => (dataPoints as DataPoint<Histogram>[]).map(lineOf));
  return { app: createApp({ registry: toolsOf(), meter, ...options }), metrics, series };
}

function lineOf({ value, attributes }: DataPoint<Histogram>): string {
  const {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    ...others
  } = attributes;
  const more = Object.entries(others).map(([name, one]) => `${name}=${String(one)}`);
  return [`x${value.count}`, method, route, status, ...more].join(' ');
}

async function asked(app: Pick<Hono, 'request'>, method: string, path: string, init: RequestInit = {}): Promise<void> {
  await (await app.request(`http://127.0.0.1${path}`, { method, ...init })).text();
}

const HTTP = 'url.scheme=http';

describe('the meter of a server', () => {
  it('gets http.server.request.duration, in seconds, as the conventions name it', async () => {
    const { app, metrics } = measured();
    const before = performance.now();
    await asked(app, 'GET', '/v1/tools');
    const seconds = (performance.now() - before) / 1_000;

    const [metric] = await metrics();

    expect(metric?.descriptor).toMatchObject({ name: 'http.server.request.duration', unit: 's' });
    const { sum = -1, buckets } = metric!.dataPoints[0]!.value as Histogram;
    expect(sum).toBeGreaterThan(0);
    expect(sum).toBeLessThanOrEqual(seconds);
    expect(buckets.boundaries).toEqual([0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]);
  });

  it('counts by the template of the route, whatever is in the path and the query', async () => {
    const { app, series } = measured();
    for (const name of ['add-one', 'add-two']) await asked(app, 'GET', `/v1/tools/${name}?x=${name}`);
    await asked(app, 'HEAD', '/v1/tools/invented');

    expect(await series()).toEqual([`x2 GET /v1/tools/:name 200 ${HTTP}`, `x1 HEAD /v1/tools/:name 404 ${HTTP}`]);
  });

  it('gets one series for all paths and all methods that are not there', async () => {
    const { app, series } = measured();
    for (const path of ['/a', '/b', '/wp-admin/c']) await asked(app, 'GET', path);
    for (const method of ['BREW', 'WHEN']) await asked(app, method, '/v1/tools');

    expect(await series()).toEqual([`x3 GET  404 ${HTTP}`, `x2 _OTHER  405 ${HTTP}`]);
  });

  it('gets what a guard refuses, and what fails, with the status as error.type', async () => {
    const { app, series } = measured({ token: 'secret' });
    const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' };
    await asked(app, 'GET', '/v1/tools/add-one');
    await asked(app, 'POST', '/v1/tools/call', { headers, body: '{"name":"fails-with-status"}' });
    await asked(app, 'POST', '/v1/tools/call', { headers, body: '{"name":' });

    expect(await series()).toEqual([
      `x1 GET /v1/tools/:name 401 ${HTTP}`,
      `x1 POST /v1/tools/call 502 ${HTTP} error.type=502`,
      `x1 POST /v1/tools/call 400 ${HTTP}`,
    ]);
  });

  it('gets the whole template of an app that is mounted, and https', async () => {
    const { app, series } = measured({ allowedHosts: ['a.example'] });
    const host = new Hono().use('/:team/*', (_, next) => next()).route('/tools', app);
    await (await host.request('https://a.example/tools/v1/tools/add-one')).text();

    expect(await series()).toEqual(['x1 GET /tools/v1/tools/:name 200 url.scheme=https']);
  });

  it('gets MCP requests under their one path', async () => {
    const { app, series } = measured({ mcp: true });
    await asked(app, 'POST', '/mcp', { headers: { 'content-type': 'application/json' }, body: '[' });

    expect(await series()).toEqual([`x1 POST /mcp 400 ${HTTP}`]);
  });

  it.each([{}, { createHistogram: 1 }])('must be one: %o', (meter) => {
    expect(() => createApp({ meter } as unknown as HttpOptions)).toThrow('meter must be a meter of OpenTelemetry');
  });
});
