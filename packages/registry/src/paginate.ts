import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';

/** Which part of a list is wanted. */
export interface Paging {
  /** From 1. Default: 1. A page past the end is empty. */
  readonly page?: number;
  /** How many items a page has, 1 to 100. Default: 50. */
  readonly limit?: number;
}
/** One page of a list, and how much there is in all. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly page: number;
  readonly limit: number;
  /** How many items all pages have together. */
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
