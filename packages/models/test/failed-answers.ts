/** What a service answers a call with that fails, and what the error is to say of it. */
export type FailedCall = readonly [what: string, status: number, body: object, code: string, retryable: boolean];

const openai = (message: string, code: string | null, type = 'invalid_request_error') => ({
  error: { message, type, param: null, code },
});
const azure = (code: string, message: string) => ({ error: { code, message } });
const anthropic = (type: string, message: string) => ({ type: 'error', error: { type, message }, request_id: 'req-1' });
const gemini = (code: number, status: string, message: string, ...details: readonly object[]) => ({
  error: { code, message, status, details },
});
const quota = (quotaId: string) => [
  { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId, quotaValue: '20' }] },
  { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' },
];
const QUOTA = 'You exceeded your current quota, please check your plan and billing details.';

const OPENAI: readonly FailedCall[] = [
  ['a wrong key', 401, openai('Incorrect API key provided: sk-1.', 'invalid_api_key'), 'AUTHENTICATION_ERROR', false],
  [
    'a key of another country',
    403,
    openai('Country, region, or territory not supported', 'unsupported_country_region_territory', 'request_forbidden'),
    'AUTHENTICATION_ERROR',
    false,
  ],
  [
    'an unknown model',
    404,
    openai('The model `gpt-9` does not exist or you do not have access to it.', 'model_not_found'),
    'MODEL_NOT_FOUND',
    false,
  ],
  [
    'a model of others',
    403,
    openai('Project `proj_1` does not have access to model `gpt-9`', 'model_not_found'),
    'MODEL_NOT_FOUND',
    false,
  ],
  ['a wrong address', 404, { detail: 'Not Found' }, 'MODEL_ERROR', false],
  [
    'too many tokens a minute',
    429,
    openai('Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000.', 'rate_limit_exceeded', 'tokens'),
    'RATE_LIMIT_EXCEEDED',
    true,
  ],
  ['a spent quota', 429, openai(QUOTA, 'insufficient_quota', 'insufficient_quota'), 'QUOTA_EXCEEDED', false],
  [
    'a long history',
    400,
    openai(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
      'context_length_exceeded',
    ),
    'CONTEXT_OVERFLOW',
    false,
  ],
  ['an overload', 503, openai('The engine is currently overloaded', null, 'server_error'), 'MODEL_OVERLOADED', true],
  [
    'a fault of its own',
    500,
    openai('The server had an error: model overload?', null, 'server_error'),
    'MODEL_ERROR',
    true,
  ],
  ['a wrong parameter', 400, openai("Invalid value: 'x'.", 'invalid_value'), 'MODEL_ERROR', false],
];

/** By the name of the API. Where services follow OpenAI's API they keep to words of their own. */
export const FAILED_CALLS: Readonly<Record<string, readonly FailedCall[]>> = {
  chat: [
    ...OPENAI,
    ['DeepSeek: an unknown model', 400, openai('Model Not Exist', 'invalid_request_error'), 'MODEL_NOT_FOUND', false],
    ['DeepSeek: nothing left', 402, openai('Insufficient Balance', 'invalid_request_error'), 'QUOTA_EXCEEDED', false],
    [
      'Mistral: an unknown model',
      400,
      { object: 'error', message: 'Invalid model: x', type: 'invalid_model', param: null, code: '1500' },
      'MODEL_NOT_FOUND',
      false,
    ],
    ['OpenRouter: an unknown model', 400, azure('400', 'x/y is not a valid model ID'), 'MODEL_NOT_FOUND', false],
    [
      'vLLM: an unknown model',
      404,
      { object: 'error', message: 'The model `x` does not exist.', type: 'NotFoundError', param: null, code: 404 },
      'MODEL_NOT_FOUND',
      false,
    ],
  ],
  responses: [
    ...OPENAI,
    [
      'a long input',
      400,
      openai('Your input exceeds the context window of this model.', 'context_length_exceeded'),
      'CONTEXT_OVERFLOW',
      false,
    ],
  ],
  'azure-openai': [
    [
      'a wrong key',
      401,
      azure('401', 'Access denied due to invalid subscription key or wrong API endpoint.'),
      'AUTHENTICATION_ERROR',
      false,
    ],
    ['a firewall', 403, azure('403', 'Access denied due to Virtual Network rules.'), 'AUTHENTICATION_ERROR', false],
    [
      'an unknown deployment',
      404,
      azure('DeploymentNotFound', 'The API deployment for this resource does not exist.'),
      'MODEL_NOT_FOUND',
      false,
    ],
    ['a wrong address', 404, azure('404', 'Resource not found'), 'MODEL_ERROR', false],
    [
      'too many tokens a minute',
      429,
      azure('429', 'Requests have exceeded token rate limit of your current OpenAI S0 pricing tier.'),
      'RATE_LIMIT_EXCEEDED',
      true,
    ],
    ['a spent quota', 429, azure('insufficient_quota', QUOTA), 'QUOTA_EXCEEDED', false],
    [
      'a long history',
      400,
      openai("This model's maximum context length is 8192 tokens.", null),
      'CONTEXT_OVERFLOW',
      false,
    ],
    ['an overload', 503, azure('ServiceUnavailable', 'The service is unavailable.'), 'MODEL_OVERLOADED', true],
  ],
  anthropic: [
    ['a wrong key', 401, anthropic('authentication_error', 'invalid x-api-key'), 'AUTHENTICATION_ERROR', false],
    [
      'a key without rights',
      403,
      anthropic('permission_error', 'Your API key does not have permission to use the specified resource.'),
      'AUTHENTICATION_ERROR',
      false,
    ],
    ['an unknown model', 404, anthropic('not_found_error', 'model: claude-9'), 'MODEL_NOT_FOUND', false],
    ['a wrong address', 404, anthropic('not_found_error', 'Not Found'), 'MODEL_ERROR', false],
    [
      'too many tokens a minute',
      429,
      anthropic('rate_limit_error', "This request would exceed your organization's rate limit of 50,000 input tokens."),
      'RATE_LIMIT_EXCEEDED',
      true,
    ],
    [
      'nothing left',
      400,
      anthropic('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'),
      'QUOTA_EXCEEDED',
      false,
    ],
    ['a bill', 402, anthropic('billing_error', 'There is an issue with your billing.'), 'QUOTA_EXCEEDED', false],
    [
      'a long history',
      400,
      anthropic('invalid_request_error', 'prompt is too long: 213462 tokens > 200000 maximum'),
      'CONTEXT_OVERFLOW',
      false,
    ],
    ['a request of megabytes', 413, anthropic('request_too_large', 'Request too large'), 'CONTEXT_OVERFLOW', false],
    ['an overload', 529, anthropic('overloaded_error', 'Overloaded'), 'MODEL_OVERLOADED', true],
  ],
  gemini: [
    [
      'a wrong key',
      400,
      gemini(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', { reason: 'API_KEY_INVALID' }),
      'AUTHENTICATION_ERROR',
      false,
    ],
    [
      'a key without rights',
      403,
      gemini(403, 'PERMISSION_DENIED', 'Your API key was reported as leaked.'),
      'AUTHENTICATION_ERROR',
      false,
    ],
    [
      'an unknown model',
      404,
      gemini(404, 'NOT_FOUND', 'models/gemini-9 is not found for API version v1beta.'),
      'MODEL_NOT_FOUND',
      false,
    ],
    [
      'too many requests a minute',
      429,
      gemini(429, 'RESOURCE_EXHAUSTED', QUOTA, ...quota('GenerateRequestsPerMinutePerProjectPerModel')),
      'RATE_LIMIT_EXCEEDED',
      true,
    ],
    [
      'a spent day',
      429,
      gemini(429, 'RESOURCE_EXHAUSTED', QUOTA, ...quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier')),
      'QUOTA_EXCEEDED',
      true,
    ],
    [
      'a long history',
      400,
      gemini(400, 'INVALID_ARGUMENT', 'The input token count (1200000) exceeds the maximum number of tokens allowed.'),
      'CONTEXT_OVERFLOW',
      false,
    ],
    [
      'an overload',
      503,
      gemini(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
      'MODEL_OVERLOADED',
      true,
    ],
  ],
};
