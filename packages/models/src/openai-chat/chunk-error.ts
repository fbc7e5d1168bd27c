import { type ErrorContext, errorOfEvent, type ModelError } from '../wire/model-error.ts';
import { recordOf } from '../wire/untrusted.ts';
import type { WireChunk } from './wire-chunk.ts';

/** The error in a chunk, in any of the forms that services use in a stream. */
export function errorInChunk(chunk: WireChunk, event: string, context: ErrorContext): ModelError | undefined {
  // empty or false errors are no errors
  const error = chunk.error || chunk.x_groq?.error;
  if (error) return errorOfEvent(error, context);
  if (event === 'error') return errorOfEvent(chunk, context);
  if (Array.isArray(chunk.choices)) return undefined;
  const fields = recordOf(chunk) ?? {};
  const { status_code: code, status_msg: message } = recordOf(fields['base_resp']) ?? {}; // MiniMax
  if (typeof code === 'number' && code !== 0) return errorOfEvent({ code, message }, context);
  // vLLM marks it as an error; FastAPI has a detail, and proxies only a message
  const isError =
    fields['object'] === 'error' || fields['detail'] !== undefined || typeof fields['message'] === 'string';
  return isError ? errorOfEvent(chunk, context) : undefined;
}
