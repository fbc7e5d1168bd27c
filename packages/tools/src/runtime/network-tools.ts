import { defineTool, objectSchema, type Tool, type ToolContext, type ToolResult } from '@x/core';
import { boundedBody } from '../text/bounded-body.ts';
import { decodeText } from '../text/decode-text.ts';
import { failure } from '../text/failure.ts';
import { counted } from '../text/numbered-lines.ts';
import { httpExchange } from '../web/http-exchange.ts';
import { headersOf, MAX_HEADER_CHARACTERS } from '../web/request-headers.ts';

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 120_000;
const MAX_CHARACTERS = 28_000;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

interface HttpRequestInput {
  url: string;
  method?: (typeof METHODS)[number];
  headers?: string;
  body?: string;
  timeout?: number;
}

/**
 * Makes one request through `workspace.fetch`, http and https only. A redirect is followed only within the same origin, and only without a
 * body: a rule about one host never opens another. The workspace decides which addresses may be reached, private ones too: a sandbox
 * applies its rules, without one all are open.
 */
export function httpRequestTool(): Tool<HttpRequestInput> {
  return defineTool({
    name: 'http_request',
    description:
      'Makes one HTTP request (http or https) and answers with status, headers and text of the response, at most 28,000 ' +
      'characters. GET and HEAD follow redirects within the same origin; any other redirect is shown, and its location can ' +
      'be asked for with another call. A status from 400 is an error.',
    inputSchema: objectSchema({
      url: { type: 'string', description: 'The whole URL.' },
      method: { type: 'string', description: 'Default GET.', enum: METHODS, optional: true },
      headers: { type: 'string', description: 'One header a line: "Name: value".', optional: true },
      body: { type: 'string', description: 'The text to send; not with GET and HEAD.', optional: true },
      timeout: {
        type: 'integer',
        description: 'Milliseconds for all of it. Default 30000, at most 120000.',
        minimum: 1,
        maximum: MAX_TIMEOUT_MS,
        optional: true,
      },
    }),
    kind: 'execute',
    subject: ({ url }) => ({ type: 'url', url }),
    execute: httpRequest,
  });
}

async function httpRequest(input: HttpRequestInput, context: ToolContext): Promise<ToolResult> {
  const { method = 'GET', body, timeout = DEFAULT_TIMEOUT_MS } = input;
  const url = URL.canParse(input.url) ? new URL(input.url) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    return failure(`${input.url} is not a URL of http or https; nothing was sent.`);
  }
  if (body !== undefined && isWithoutBody(method)) return failure(`${method} sends no body; nothing was sent.`);
  const headers = headersOf(input.headers ?? '');
  if (typeof headers === 'string') return failure(headers);
  const follows = (next: URL, from: URL) => next.origin === from.origin && isWithoutBody(method);
  const exchange = { url, method, headers, timeoutMs: timeout, follows, answer };
  return await httpExchange({ ...exchange, ...(body === undefined ? {} : { body }) }, context);
}

function isWithoutBody(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

async function answer(response: Response, url: URL): Promise<ToolResult> {
  const { status, statusText } = response;
  const { bytes, isWhole } = await boundedBody(response, MAX_CHARACTERS);
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  const head = `${status}${statusText === '' ? '' : ` ${statusText}`} ${url.href}\n${headers.slice(0, MAX_HEADER_CHARACTERS)}`;
  const output = `${head}\n\n${textOfBody(bytes, isWhole)}`;
  return status >= 400 ? failure(output) : { output, isError: false };
}

/** Cut bytes may end in the middle of a character. */
function textOfBody(bytes: Uint8Array, isWhole: boolean): string {
  const note = isWhole ? '' : `\n\n[Only the first ${counted(bytes.length)} bytes of the body are shown.]`;
  if (isWhole) return decodeText(bytes) ?? `[a binary body of ${counted(bytes.length)} bytes]`;
  if (bytes.includes(0)) return `[a binary body of more than ${counted(bytes.length)} bytes]`;
  return new TextDecoder().decode(bytes) + note;
}
