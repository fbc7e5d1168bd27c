import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';

/** Selects a page of a list. */
export interface Paging {
  /** From 1. Default: 1. A page past the end is empty. */
  readonly page?: number;
  /** Number of items per page, 1 to 100. Default: 50. */
  readonly limit?: number;
}
/** One page of a list, and the total. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly page: number;
  readonly limit: number;
  /** Number of items of all pages together. */
  readonly total: number;
  /** 0 when there are no items. */
  readonly totalPages: number;
}

const PAGING: OptionRules<Paging> = { page: is.count(), limit: is.count(1, 100) };

/** One page of `items`, in their order. @throws ValidationError with the field `page` or `limit` */
export function paginate<T>(items: readonly T[], paging: Paging = {}): Page<T> {
  checkOptions('Paging', paging, PAGING);
  const { page = 1, limit = 50 } = paging;
  const total = items.length;
  const start = (page - 1) * limit;
  return { items: items.slice(start, start + limit), page, limit, total, totalPages: Math.ceil(total / limit) };
}
