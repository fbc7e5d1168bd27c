import { checkKeys, ValidationError } from '@x/core';

/** Which of the tools that a search finds are answered. */
export interface SearchOptions {
  /** The most that are answered; `Infinity` for all. Default: 100. */
  readonly limit?: number;
  /** How many of the best are left out: what earlier pages had. Default: 0. */
  readonly offset?: number;
}

const DEFAULT_LIMIT = 100;

/** @throws ValidationError */
export function checkedSearch(query: unknown, options: SearchOptions): Required<SearchOptions> {
  if (typeof query !== 'string') throw new ValidationError('The query must be a text', 'query');
  checkKeys('Search options', options, ['limit', 'offset']);
  const { limit = DEFAULT_LIMIT, offset = 0 } = options;
  if (!(Number.isInteger(limit) && limit >= 1) && limit !== Number.POSITIVE_INFINITY) {
    throw new ValidationError('limit must be a whole number from 1, or Infinity for all', 'limit');
  }
  if (!(Number.isInteger(offset) && offset >= 0)) {
    throw new ValidationError('offset must be a whole number from 0', 'offset');
  }
  return { limit, offset };
}
