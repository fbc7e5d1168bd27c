import { AgentError } from '@x/core';
import { onAbort } from '@x/core/internal';
import { type McpHttpAnswer, serveTools } from '@x/mcp/server';
import { answer } from '../answers/answer.ts';
import type { HttpContext } from '../answers/http-env.ts';
import type { McpOptions } from '../config/server-config.ts';
import { isJson, parseJson } from '../security/json-body.ts';
import type { Settings } from '../settings/http-options.ts';
import { mcpCalls, mcpFailures, mcpSource } from './tool-source.ts';

/** Answers `/mcp`, behind the guards of all routes; `closing` ends its conversations. */
export function mcpRoute(
  settings: Settings,
  options: McpOptions,
  closing: AbortSignal,
): (context: HttpContext) => Promise<Response> {
  const endpoint = serveTools(mcpSource(settings), {
    ...options,
    version: settings.version,
    onError: mcpFailures(settings),
  });
  onAbort(closing, () => endpoint.close());

  return async (context) => {
    const { method, url, raw } = context.req;
    const body = method === 'POST' ? bodyOf(context) : undefined;
    if (body?.issues) return written(context, unreadable(body.issues[0]!.message)); // it has one
    const requestId = context.get('requestId');
    const answer = await endpoint.answer({
      method,
      header: (name) => raw.headers.get(name),
      body: body?.value,
      owner: context.get('caller'),
      call: mcpCalls(settings, { url, method, requestId }),
      signal: raw.signal,
    });
    return written(context, answer);
  };
}

function bodyOf(context: HttpContext): ReturnType<typeof parseJson> {
  if (isJson(context.req.raw.headers)) return parseJson(context.get('bytes') ?? new Uint8Array());
  throw new AgentError('The body must be application/json in UTF-8, not compressed', 'UNSUPPORTED_MEDIA_TYPE', 415);
}

/** JSON-RPC 2.0, 5.1: a message that is not read has no id. */
function unreadable(message: string): McpHttpAnswer {
  const error = { code: -32_700, message, data: { code: 'VALIDATION_ERROR', statusCode: 400 } };
  return {
    status: 400,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: null, error }),
  };
}

function written(context: HttpContext, { status, headers, body }: McpHttpAnswer): Response {
  return answer(context, body, status, headers);
}
