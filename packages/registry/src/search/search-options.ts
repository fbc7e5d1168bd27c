import * as is from '@x/errors/option-rules';
import { checkOptions, checkValue, type OptionRules } from '@x/errors/option-rules';

/** Options of a search. */
export interface SearchOptions {
  /** Maximum number of results; `Infinity` for all. Default: 100. */
  readonly limit?: number;
  /** Number of best results to skip: those of earlier pages. Default: 0. */
  readonly offset?: number;
}

const SEARCH: OptionRules<SearchOptions> = { limit: is.countOrInfinity(1), offset: is.count(0) };
const DEFAULT_LIMIT = 100;

/** @throws ValidationError */
export function checkedSearch(query: unknown, options: SearchOptions): Required<SearchOptions> {
  checkValue('query', query, is.required(is.text));
  checkOptions('Search options', options, SEARCH);
  const { limit = DEFAULT_LIMIT, offset = 0 } = options;
  return { limit, offset };
}
