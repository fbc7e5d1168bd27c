import { answer } from '../answers/answer.ts';
import type { ServedRoute } from '../routes/route.ts';
import type { Settings } from '../settings/http-options.ts';
import { pageFiles } from './page-files.ts';

/** The page may load its own files and call its own server, and nothing else; nobody may frame it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};
const TYPES = new Map([
  ['html', 'text/html'],
  ['js', 'text/javascript'],
  ['css', 'text/css'],
]);

const SHARED = ['api.js', 'dom.js', 'text.js', 'page.css'];
const DOCS = ['docs.js', 'docs.css', 'shape.js'];

/**
 * Pages for people: `/docs`, and `/inspector` where it is asked for. They hold nothing, so they are served without a token; what they show
 * they ask the routes for, with the token of their reader. They are not in the OpenAPI document.
 */
export function pageRoutes({ inspector }: Pick<Settings, 'inspector'>): readonly ServedRoute[] {
  const all = Object.keys(pageFiles).filter((name) => !name.endsWith('.html'));
  const files = inspector ? all : [...SHARED, ...DOCS];
  return [
    fileRoute('/docs', 'docs.html'),
    ...(inspector ? [fileRoute('/inspector', 'inspector.html')] : []),
    ...files.map((name) => fileRoute(`/page/${name}`, name)),
  ];
}

function fileRoute(path: string, name: string): ServedRoute {
  const type = TYPES.get(name.slice(name.lastIndexOf('.') + 1)) ?? 'text/plain';
  const headers = { ...HEADERS, 'Content-Type': `${type}; charset=utf-8` };
  return {
    method: 'get',
    path,
    isOpen: true,
    handle: ({ context }) => answer(context, pageFiles[name] ?? '', 200, headers),
  };
}
