import { matchedRoutes } from 'hono/route';
import type { HttpMeter } from '../settings/http-meter.ts';
import type { HttpContext } from './http-env.ts';

/** Methods that the conventions know; a client may invent any other. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE', 'QUERY']);
/** Seconds, as the conventions advise. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Records an answered request; `durationMs` ends where its body begins. */
export type RecordRequest = (context: HttpContext, durationMs: number) => void;

/** `http.server.request.duration` of OpenTelemetry's HTTP conventions. No attribute is a text of a client, so their number stays small. */
export function requestDuration(meter: HttpMeter): RecordRequest {
  const duration = meter.createHistogram('http.server.request.duration', {
    description: 'Duration of HTTP server requests.',
    unit: 's',
    advice: { explicitBucketBoundaries: BOUNDARIES },
  });
  return (context, durationMs) => {
    const { method, url } = context.req;
    const { status } = context.res;
    // Middlewares of this package end with a star: they are of every path.
    const route = matchedRoutes(context).findLast(({ path }) => !path.endsWith('*'));
    duration.record(durationMs / 1_000, {
      'http.request.method': METHODS.has(method) ? method : '_OTHER',
      'url.scheme': url.startsWith('https:') ? 'https' : 'http',
      'http.response.status_code': status,
      ...(route ? { 'http.route': route.path } : {}),
      ...(status >= 500 ? { 'error.type': String(status) } : {}),
    });
  };
}
