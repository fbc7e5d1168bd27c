import { REDACTED } from './placeholder.ts';
import type { Secrets } from './secrets.ts';
import type { SeenExchange } from './seen-exchange.ts';
import type { RecordedHeader } from './wire-recording.ts';

/** Headers that identify the caller or the account, or give access; `token` does not mean counts of tokens. */
const SECRET_HEADER =
  /authorization|api[-_]?key|cookie|secret|credential|signature|token(?!s)|password|^(?:openai-(?:organization|project)|anthropic-organization-id|x-goog-(?:user-project|project-id)|x-ms-client-principal.*)$/i;
const SECRET_PARAMETER = /^(?:key|api[-_]?key|access[-_]?token|token|sig|signature|secret|password|subscription-key)$/i;
/** Headers of one connection (RFC 9110 7.6.1), of the proxy's address, or of the body's original form. */
const NOT_KEPT = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'expect',
  'content-length',
  'content-encoding',
]);
/** A shorter value may be an ordinary word; it is redacted only in its own place. */
const MIN_LEARNED = 6;

/** The secrets that an exchange itself names, to be redacted in all the rest of it. */
export function learnedSecrets({ path, headers, answer }: SeenExchange): readonly string[] {
  const fromHeaders = [...headers, ...(answer?.headers ?? [])].flatMap(([name, value]) =>
    SECRET_HEADER.test(name) ? secretsOfHeader(name, value) : [],
  );
  const fromQuery = [...new URLSearchParams(queryOf(path))].flatMap(([name, value]) =>
    SECRET_PARAMETER.test(name) ? [value] : [],
  );
  return [...fromHeaders, ...fromQuery].filter((value) => value.length >= MIN_LEARNED && value !== REDACTED);
}

/** Redacts secret parameters, and other secrets, in a path. */
export function redactPath(path: string, secrets: Secrets): string {
  const query = queryOf(path);
  const parameters = query.split('&').map((parameter) => {
    const [name = ''] = parameter.split('=');
    const secret = parameter.includes('=') && SECRET_PARAMETER.test(decodedName(name));
    return secret ? `${name}=${REDACTED}` : parameter;
  });
  const place = path.slice(0, path.length - query.length);
  return redactText(place + parameters.join('&'), secrets);
}

/** Headers without their secrets, and without those that a recording leaves out. */
export function redactHeaders(headers: readonly RecordedHeader[], secrets: Secrets): readonly RecordedHeader[] {
  return headers
    .filter(([name]) => !NOT_KEPT.has(name.toLowerCase()))
    .map(([name, value]) => [name, SECRET_HEADER.test(name) ? REDACTED : redactText(value, secrets, 'latin1')]);
}

function redactText(text: string, secrets: Secrets, encoding: BufferEncoding = 'utf8'): string {
  const bytes = Buffer.from(text, encoding);
  let [redacted, at] = ['', 0];
  for (const [start, end] of secrets.rangesIn(bytes)) {
    redacted += bytes.toString(encoding, at, start) + REDACTED;
    at = end;
  }
  return redacted + bytes.toString(encoding, at);
}

/** The value, and its parts: the token after a scheme, user and password of a basic one, the values of cookies. */
function secretsOfHeader(name: string, value: string): readonly string[] {
  if (/cookie/i.test(name)) {
    const pairs = /^set-cookie/i.test(name) ? [value.split(';')[0] ?? ''] : value.split(';');
    return pairs.map((pair) => pair.slice(pair.indexOf('=') + 1).trim());
  }
  const [, scheme = '', token = value] = /^([A-Za-z][\w-]*) +(.+)$/.exec(value) ?? [];
  if (scheme.toLowerCase() !== 'basic') return [value, token];
  const pair = Buffer.from(token, 'base64').toString('utf8');
  return [value, token, pair, pair.slice(pair.indexOf(':') + 1)];
}

/** The part after the question mark. */
function queryOf(path: string): string {
  const mark = path.indexOf('?');
  return mark < 0 ? '' : path.slice(mark + 1);
}

function decodedName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
