import type { OptionRule } from '@x/errors/option-rules';
import * as is from '@x/errors/option-rules';

const CODES = [
  'AUTHENTICATION_ERROR',
  'MODEL_NOT_FOUND',
  'RATE_LIMIT_EXCEEDED',
  'QUOTA_EXCEEDED',
  'CONTEXT_OVERFLOW',
  'MODEL_OVERLOADED',
  'MODEL_UNAVAILABLE',
  'STREAM_CUT',
  'MODEL_ERROR',
] as const;
/** The cause of a failed model call, for programs: each needs a different reaction. `MODEL_ERROR` is any other cause. */
export type ModelErrorCode = (typeof CODES)[number];
/** The rule for a list of them among options. */
export const MODEL_ERROR_CODES: OptionRule = is.filledListOf(
  is.oneOf(...CODES),
  'a list of codes that is not empty, such as [MODEL_OVERLOADED]',
);
