import { AbortError, isRetryable, ValidationError } from '@x/core';
import { messageOf, unlessAborted } from '@x/core/internal';
import { type ErrorContext, ModelError, readable } from './model-error.ts';
import { checkHeaders, fixedKeyOf, isKey, type ProviderConfig, type Renewed } from './provider-config.ts';

/** Key and headers of one request. */
export interface Access {
  readonly apiKey: string;
  readonly headers: Readonly<Record<string, string>>;
}
/** A configuration whose key and headers are known. */
export type WithAccess<Config> = Omit<Config, 'apiKey' | 'headers'> & Access;

/** Headers whose values are secrets. */
const SECRET_NAME = /auth|key|token|secret|cookie/i;

/**
 * The key and the headers for the next request; at once when no function of the host gives them. @throws AuthenticationError when there is no
 * key; ModelError when a function of the host fails, or gives what is none; AbortError
 */
export function accessFor(config: ProviderConfig, signal: AbortSignal, before?: Access): Access | Promise<Access> {
  const { apiKey, headers } = config;
  if (typeof apiKey === 'function' || typeof headers === 'function') return askedAccess(config, signal, before);
  return unlessSame(fixedKeyOf(config) as string, headers, before); // safe: no function
}

async function askedAccess(config: ProviderConfig, signal: AbortSignal, before?: Access): Promise<Access> {
  const { type: provider, apiKey, headers } = config;
  const asked = async <T>(path: string, renew: Renewed<T>): Promise<T> => {
    try {
      return await unlessAborted(() => renew({ signal }), signal);
    } catch (failure) {
      if (signal.aborted) throw new AbortError();
      // not kept as a cause: errors of those who issue keys may hold what they were asked with
      const reason = readable(messageOf(failure), { provider, apiKey: '', secrets: before ? secretsOf(before) : [] });
      throw refusal(`provider.${path} has failed: ${reason}`, provider, isRetryable(failure));
    }
  };
  const key = typeof apiKey === 'function' ? await asked('apiKey', apiKey) : fixedKeyOf(config);
  if (!isKey(key)) {
    const message = 'provider.apiKey must return a key: a text that is not empty, without spaces and line breaks';
    throw refusal(message, provider, false);
  }
  if (typeof headers !== 'function') return unlessSame(key, headers, before);
  const given: unknown = await asked('headers', headers);
  try {
    checkHeaders(given, 'provider.headers()');
  } catch (failure) {
    throw failure instanceof ValidationError ? refusal(failure.message, provider, false) : failure;
  }
  return { apiKey: key, headers: { ...given } }; // copied: a host may give one object, changed, each time
}

/** The access of before while the key is the same. */
function unlessSame(apiKey: string, headers: Access['headers'] = {}, before?: Access): Access {
  return before?.apiKey === apiKey ? before : { apiKey, headers };
}

/** The facts for the errors of a request: its provider, and the secrets to hide. */
export function errorContextOf(provider: string, { apiKey, headers }: Access): ErrorContext {
  return { provider, apiKey, secrets: secretsOf({ apiKey, headers }) };
}

/** The texts of an access that errors must not show; of `Bearer <token>` the token. */
export function secretsOf({ apiKey, headers }: Access): readonly string[] {
  const secret = Object.entries(headers).filter(([name]) => SECRET_NAME.test(name));
  return [apiKey, ...secret.map(([, value]) => value.trim().split(/\s+/).at(-1) ?? '')];
}

function refusal(message: string, provider: string, retryable: boolean): ModelError {
  return new ModelError(message, { provider, code: 'AUTHENTICATION_ERROR', retryable });
}
