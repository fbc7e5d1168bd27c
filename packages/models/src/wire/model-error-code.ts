/** Why a model call failed, for programs: what to do about it differs. `MODEL_ERROR` is all that is none of the others. */
export type ModelErrorCode =
  | 'AUTHENTICATION_ERROR'
  | 'MODEL_NOT_FOUND'
  | 'RATE_LIMIT_EXCEEDED'
  | 'QUOTA_EXCEEDED'
  | 'CONTEXT_OVERFLOW'
  | 'MODEL_OVERLOADED'
  | 'STREAM_CUT'
  | 'MODEL_ERROR';

/** The answer of a service that failed. */
export interface FailureSigns {
  /** HTTP status. */
  readonly status: number;
  readonly text: string;
  /** In the service's own words; Google's `reason` and `quotaId` among them. */
  readonly names: readonly string[];
}
interface Cause {
  readonly code: ModelErrorCode;
  /** Types and codes that say it in one word, whatever the status. */
  readonly names: ReadonlySet<string>;
  /** Pieces of sentences, in lower case, where the word or the status alone does not say it. */
  readonly texts?: readonly string[];
}

/** The first that fits. A word counts before every status: services send a wrong key with 400 and a model that is not there with 403. */
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

/** The code for what a service said; a history that does not fit is found out elsewhere. */
export function modelErrorCode({ status, text, names }: FailureSigns): ModelErrorCode {
  const said = text.toLowerCase();
  const isServers = status >= 500; // where it has failed itself, its sentences may quote anything
  for (const cause of CAUSES) {
    if (names.some((name) => cause.names.has(name))) return cause.code;
    if (!isServers && cause.texts?.some((piece) => said.includes(piece))) return cause.code;
  }
  if (status === 429 && names.some((name) => name.includes('PerDay'))) return 'QUOTA_EXCEEDED'; // Google's quotaId
  // A wrong address is 404 too, and says nothing of a model.
  if (status === 404 && (said.includes('model') || said.includes('deployment'))) return 'MODEL_NOT_FOUND';
  return BY_STATUS.get(status) ?? 'MODEL_ERROR';
}
