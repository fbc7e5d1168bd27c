import { AbortError, type ToolContext, type ToolResult } from '@x/core';
import { messageOf } from '@x/core/internal';
import { failure } from '../text/failure.ts';
import { counted } from '../text/numbered-lines.ts';

const MAX_REDIRECTS = 5;

/** A tool's request, and the conversion of its answer. */
export interface HttpExchange {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body?: string;
  /** For the whole exchange. */
  readonly timeoutMs: number;
  /** True when a redirect is followed, at most 5 times; any other is an answer. */
  readonly follows: (next: URL, url: URL) => boolean;
  /** Limits the connected addresses; the answer of a workspace that does not call it is discarded. */
  readonly admitsAddress?: (address: string) => boolean;
  readonly answer: (response: Response, url: URL) => Promise<ToolResult>;
}

/** Sends a request through the workspace, follows redirects and respects the time limit; failures are results. */
export async function httpExchange(exchange: HttpExchange, context: ToolContext): Promise<ToolResult> {
  const { method, url, timeoutMs } = exchange;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  try {
    return await followed(exchange, context, AbortSignal.any([context.signal, late.signal]));
  } catch (error) {
    if (context.signal.aborted) throw new AbortError();
    if (late.signal.aborted) return failure(`${method} ${url.href} was ended after ${counted(timeoutMs)} ms.`);
    return failure(`${method} ${url.href} failed: ${reasonOf(error)}`);
  } finally {
    clearTimeout(timer);
  }
}

async function followed(exchange: HttpExchange, { workspace }: ToolContext, signal: AbortSignal): Promise<ToolResult> {
  const { method, headers, body, follows, admitsAddress, answer } = exchange;
  const settings = { method, headers, signal, redirect: 'manual', ...(body === undefined ? {} : { body }) } as const;
  let { url } = exchange;
  for (let redirects = 0; ; redirects += 1) {
    let wasAsked = false;
    const guard = admitsAddress && {
      admitsAddress: (address: string) => {
        wasAsked = true;
        return admitsAddress(address);
      },
    };
    const response = await workspace.fetch(new Request(url, settings), guard);
    if (guard && !wasAsked) {
      await response.body?.cancel();
      throw new Error(
        'the fetch of this workspace does not ask which addresses are admitted; nothing of the answer is shown',
      );
    }
    const next = redirectOf(response, url);
    if (!next || redirects === MAX_REDIRECTS || !follows(next, url)) return await answer(response, url);
    await response.body?.cancel();
    url = next;
  }
}

/** The target of a redirect. */
export function redirectOf({ status, headers }: Response, url: URL): URL | undefined {
  const location = headers.get('location');
  if (location === null || ![301, 302, 303, 307, 308].includes(status)) return undefined;
  return URL.canParse(location, url.href) ? new URL(location, url) : undefined;
}

/** `fetch` has the reason in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? messageOf(error) : `${messageOf(error)} (${messageOf(cause)})`;
}
