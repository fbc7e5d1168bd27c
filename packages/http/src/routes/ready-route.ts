import { AgentError } from '@x/core';
import { answerJson } from '../answers/answer.ts';
import type { Route } from './route.ts';
import { failed } from './schemas.ts';

/** Milliseconds for which a check stands: whoever asks more often does not load the store. */
const STANDS_MS = 1_000;
/** Milliseconds after which a store that says nothing counts as one that is not there. */
const PATIENCE_MS = 2_000;

/** Looks whether requests may be sent here; rejects when they may not. */
export type Check = () => Promise<unknown>;

/** The route that tells whoever shares requests out whether this server takes any; open, as it says no more than that. */
export function readyRoute(closing: AbortSignal, check: Check | undefined): Route {
  const checked = check && kept(check);
  return {
    method: 'get',
    path: '/ready',
    operationId: 'getReadiness',
    summary: 'Says whether requests may be sent here',
    isOpen: true,
    answers: {
      200: {
        description: 'They may',
        schema: { type: 'object', properties: { status: { const: 'ready' } }, required: ['status'] },
      },
      503: failed('The server is closing, or the sessions cannot be served now'),
    },
    async handle({ context }) {
      if (closing.aborted) throw notReady('The server is closing');
      await checked?.().catch((cause: unknown) => {
        throw notReady('The sessions cannot be served now', cause);
      });
      return answerJson(context, { status: 'ready' });
    },
  };
}

/** The check, made once for all who ask within a second. */
function kept(check: Check): Check {
  let last: { readonly at: number; readonly outcome: Promise<unknown> } | undefined;
  return () => {
    if (!last || performance.now() - last.at > STANDS_MS) last = { at: performance.now(), outcome: inTime(check) };
    return last.outcome;
  };
}

async function inTime(check: Check): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`No answer within ${PATIENCE_MS} ms`)), PATIENCE_MS);
  await Promise.race([check(), promise]).finally(() => clearTimeout(timer));
}

function notReady(message: string, cause?: unknown): AgentError {
  return new AgentError(message, { code: 'NOT_READY', statusCode: 503, cause });
}
