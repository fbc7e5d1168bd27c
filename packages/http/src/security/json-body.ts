import { jsonFault } from '@x/core/internal';
import type { ValidationIssue } from '@x/errors';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** A body that was read, or the faults of one that is refused. */
export type Body =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly ValidationIssue[] };

/** True for `application/json`, in UTF-8 and not compressed. */
export function isJson(headers: { get(name: string): string | null }): boolean {
  const type = headers.get('content-type') ?? '';
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (type === 'application/json' && encoding === 'identity') return true;
  return /^application\/json *(; *charset *= *"?utf-8"? *)?;?$/i.test(type.trim()) && encoding === 'identity';
}

/** Parses a JSON text and looks at all that is in it, before anything else does. */
export function parseJson(bytes: Uint8Array): Body {
  let value: unknown;
  try {
    value = JSON.parse(UTF8.decode(bytes));
  } catch {
    return { issues: [{ path: '', message: 'The body is not valid JSON in UTF-8' }] };
  }
  const fault = jsonFault(value, 'The body');
  return fault ? { issues: [fault] } : { value };
}
