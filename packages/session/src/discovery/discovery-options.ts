import type { OptionRule, OptionRules } from '@x/errors/option-rules';
import * as is from '@x/errors/option-rules';

/** When tools are found by searching instead of being sent to the model. */
export type DiscoveryMode = 'auto' | 'always' | 'off';

/** Options of `toolDiscovery`. */
export interface ToolDiscoveryOptions {
  /** Default `auto`. */
  readonly mode?: DiscoveryMode;
  /** For `auto`: the estimated tokens of definitions above which tools are found instead of sent; default 10000. */
  readonly thresholdTokens?: number;
  /** Definitions in one answer of the session's search; default 5. */
  readonly maxResults?: number;
  /**
   * The searcher. `session`, the default, searches in the same way for all models. `service` lets the service of a model search, where it can
   * (Anthropic from Claude 4.5 on, OpenAI over responses from GPT-5.4 on): each request then has all definitions, of which the model sees
   * those that were found. For agents with other models the session searches.
   */
  readonly by?: 'session' | 'service';
}

const MODE = is.oneOf('auto', 'always', 'off');
const OPTIONS: OptionRules<ToolDiscoveryOptions> = {
  mode: MODE,
  thresholdTokens: is.count(0),
  maxResults: is.count(1, 50),
  by: is.oneOf('session', 'service'),
};

export const TOOL_DISCOVERY: OptionRule = is.either(
  is.nested(OPTIONS),
  MODE,
  "'auto', 'always', 'off' or { mode, thresholdTokens, maxResults, by }",
);

export function discoveryOptions(given: DiscoveryMode | ToolDiscoveryOptions = {}): Required<ToolDiscoveryOptions> {
  const options = typeof given === 'string' ? { mode: given } : given;
  return { mode: 'auto', thresholdTokens: 10_000, maxResults: 5, by: 'session', ...options };
}
