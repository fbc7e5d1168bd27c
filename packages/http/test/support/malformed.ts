import type { InjectedRequest } from '../../src/index.ts';

const PATHS = [
  '/v1/tools/call',
  '/v1/tools/call',
  '/v1/tools/search',
  '/',
  '/v1/tools',
  '/v1/tools/call',
  '/v1/tools/search',
  '/tools',
  '/tools/call',
  '/openapi.json',
  '/v1/tools/add-one',
];
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'];
const TEXTS = [
  '',
  'add-one',
  '__proto__',
  'constructor',
  'toString',
  '../..',
  '%',
  '%00',
  '%ff',
  '\u0000',
  '\u2028',
  '𝒜',
  '\ud800',
  'a'.repeat(3_000),
  '1e999',
  '-0',
  '{{',
  '"',
];
const TYPES = [
  'application/json',
  'application/json',
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'application/json;;',
  '*/*',
  '',
];
const KEYS = [
  'name',
  'parameters',
  'options',
  'query',
  'filters',
  'limit',
  'tags',
  'category',
  'timeout',
  'retry',
  'a',
  '__proto__',
  'constructor',
  'toString',
  '',
];
const NAMES = [
  'add-one',
  'add-two',
  'is-off',
  'fails-foreign',
  'fails-with-status',
  'gives-bigint',
  'gives-nothing',
  'claims-success',
  'is-late',
  'nope',
];

/** A request that is wrong somewhere, or nowhere; `random` gives numbers from 0 to 1. */
export function malformedRequest(random: () => number): InjectedRequest {
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!; // none is empty
  const often = (chance: number) => random() < chance;

  function value(depth: number): unknown {
    const kind = Math.floor(random() * (depth > 3 ? 6 : 8));
    if (kind === 0) return null;
    if (kind === 1) return often(0.5);
    if (kind === 2) return one([0, -1, 1, 1.5, 1e308, -0, 2 ** 60]);
    if (kind <= 5) return one(TEXTS);
    const items = Array.from({ length: Math.floor(random() * 4) }, () => value(depth + 1));
    return kind === 6 ? items : Object.fromEntries(items.map((item) => [one(KEYS), item]));
  }
  function body(): unknown {
    if (often(0.2)) return value(0);
    const given: [string, unknown][] = [
      ['name', often(0.8) ? one(NAMES) : value(1)],
      ['query', often(0.6) ? one(['add', 'number', ...TEXTS]) : value(1)],
      ['parameters', often(0.5) ? { a: often(0.7) ? 1 : value(2) } : value(1)],
      ['filters', often(0.5) ? { tags: ['math'] } : value(1)],
      ['limit', often(0.5) ? 5 : value(1)],
      ['options', often(0.7) ? { timeout: 50, retry: 0 } : value(1)],
      [one(KEYS), value(1)],
    ];
    return Object.fromEntries(given.filter(() => often(0.7)));
  }
  function bytes(): Uint8Array {
    const text = JSON.stringify(body()) ?? '';
    const spoilt = new TextEncoder().encode(often(0.05) ? '['.repeat(5_000) : text);
    if (often(0.1) && spoilt.length > 0) spoilt[Math.floor(random() * spoilt.length)] = Math.floor(random() * 256);
    return often(0.1) ? spoilt.slice(0, Math.floor(random() * spoilt.length)) : spoilt;
  }
  function url(): string {
    const path = often(0.85)
      ? one(PATHS)
      : `${one(PATHS)}/${often(0.5) ? encodeURIComponent(one(TEXTS).toWellFormed()) : '%2e%2e%2f%zz'}`;
    const query = Array.from({ length: Math.floor(random() * 3) }, () => {
      const name = one(['page', 'limit', 'enabled', 'tag', 'category', 'x', '__proto__', '%']);
      return `${name}=${encodeURIComponent(one([...TEXTS, '1', '50', 'true', 'math']).toWellFormed())}`;
    });
    return query.length > 0 ? `${path}?${query.join('&')}` : path;
  }

  const target = url();
  const usual = /call|search/.test(target) ? 'POST' : 'GET';
  const method = often(0.85) ? usual : one(METHODS);
  const headers: Record<string, string> = {};
  if (often(0.9)) headers['content-type'] = one(TYPES);
  if (often(0.04)) headers['host'] = one(['evil.example', '127.0.0.1:1', '', ':', '[', 'a b']);
  if (often(0.04)) headers['origin'] = one(['null', 'https://evil.example', 'x']);
  if (often(0.05)) headers['content-length'] = one(['99999999', '-1', 'a', '0', '1e3']);
  if (often(0.1)) headers['authorization'] = one(['Bearer', 'Bearer a b', 'x']);
  if (often(0.1)) headers['x-request-id'] = one(['a b', 'x'.repeat(300), 'id-1']);
  const hasBody = !['GET', 'HEAD'].includes(method) && often(0.95);
  return { method, url: target, headers, ...(hasBody ? { payload: bytes() } : {}) };
}
