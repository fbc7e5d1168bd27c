import { recordOf } from './json-values.ts';
import { type ErrorContext, errorOfAnswer, ModelError } from './model-error.ts';

/** The shape of a service's list: the field of the list, and the field of a model's name. */
export interface ListShape {
  readonly list: 'data' | 'models';
  readonly id: 'id' | 'name';
}

/** Limit for a service that always has another page. */
const MOST_PAGES = 100;
/** Headers about the body before it was read. */
const ABOUT_THE_BODY = ['content-encoding', 'content-length', 'transfer-encoding'];

/**
 * Sends for an official client that lists models: follows no redirect, which would send the key elsewhere, and returns nothing but a list.
 */
export function listFetch({ list, id }: ListShape, context: ErrorContext): typeof fetch {
  let pages = 0;
  const noList = (what: string) =>
    new ModelError(`${context.provider} ${what}`, { provider: context.provider, retryable: false });
  return async (url, init) => {
    if (++pages > MOST_PAGES) throw noList(`lists models on more than ${MOST_PAGES} pages`);
    const answer = await fetch(url, { ...init, redirect: 'manual' });
    const body = await answer.text();
    const headers = new Headers(answer.headers);
    for (const name of ABOUT_THE_BODY) headers.delete(name);
    if (!answer.ok) throw errorOfAnswer({ status: answer.status, headers: Object.fromEntries(headers), body }, context);
    const page = recordOf(parsed(body));
    const entries = page?.[list];
    // Gemini omits an empty list
    const isEmpty =
      list === 'models' && page !== undefined && Object.keys(page).every((key) => key === 'nextPageToken');
    const isList = Array.isArray(entries) && entries.every((entry) => isName(recordOf(entry)?.[id]));
    if (!isList && !isEmpty) throw noList('did not answer with a list of models');
    return new Response(body, { status: answer.status, headers });
  };
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined; // a page for people, for instance
  }
}

/** One model in the listing of a provider. */
export interface ListedModel {
  readonly id: string;
  readonly name: string;
  /** Tokens that fit into its window, where the service says so. */
  readonly maxTokens?: number;
}
