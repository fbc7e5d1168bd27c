import type { ModelErrorCode } from '@x/core/internal';

/** Facts from a failed answer. */
export interface FailureSigns {
  /** HTTP status. */
  readonly status: number;
  readonly text: string;
  /** Types and codes of the service; Google's `reason` and `quotaId` among them. */
  readonly names: readonly string[];
}
interface Cause {
  readonly code: ModelErrorCode;
  /** Types and codes with this meaning, whatever the status. */
  readonly names: ReadonlySet<string>;
  /** Parts of messages, in lower case, when type or status alone is not enough. */
  readonly texts?: readonly string[];
}

/** The first match counts. A type or code comes before every status: services send a wrong key with 400 and an unknown model with 403. */
const CAUSES: readonly Cause[] = [
  {
    code: 'QUOTA_EXCEEDED',
    names: new Set(['insufficient_quota', 'billing_error', 'billing_hard_limit_reached', 'billing_not_active']),
    texts: ['credit balance is too low', 'insufficient balance', 'insufficient credits'], // Anthropic, DeepSeek, OpenRouter
  },
  {
    code: 'MODEL_NOT_FOUND',
    names: new Set(['model_not_found', 'DeploymentNotFound', 'model_not_available', 'invalid_model']),
    texts: ['model not exist', 'is not a valid model', 'invalid model'], // DeepSeek, OpenRouter, Mistral
  },
  {
    code: 'AUTHENTICATION_ERROR',
    names: new Set(['authentication_error', 'invalid_api_key', 'API_KEY_INVALID', 'UNAUTHENTICATED']),
    texts: ['api key not valid'], // Gemini, with 400
  },
  {
    code: 'MODEL_OVERLOADED',
    names: new Set(['overloaded_error', 'server_is_overloaded', 'slow_down', 'UNAVAILABLE']),
  },
];
const BY_STATUS = new Map<number, ModelErrorCode>([
  [401, 'AUTHENTICATION_ERROR'],
  [402, 'QUOTA_EXCEEDED'],
  [403, 'AUTHENTICATION_ERROR'],
  [429, 'RATE_LIMIT_EXCEEDED'],
  [503, 'MODEL_OVERLOADED'],
  [529, 'MODEL_OVERLOADED'],
]);

/** The code for a service's answer; a history that does not fit is detected elsewhere. */
export function modelErrorCode({ status, text, names }: FailureSigns): ModelErrorCode {
  const said = text.toLowerCase();
  const isServers = status >= 500; // where it has failed itself, its sentences may quote anything
  for (const cause of CAUSES) {
    if (names.some((name) => cause.names.has(name))) return cause.code;
    if (!isServers && cause.texts?.some((piece) => said.includes(piece))) return cause.code;
  }
  if (status === 429 && names.some((name) => name.includes('PerDay'))) return 'QUOTA_EXCEEDED'; // Google's quotaId
  // A wrong address is 404 too, but does not mention a model.
  if (status === 404 && (said.includes('model') || said.includes('deployment'))) return 'MODEL_NOT_FOUND';
  return BY_STATUS.get(status) ?? 'MODEL_ERROR';
}
