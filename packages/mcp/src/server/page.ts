import { CODES, RpcError } from './json-rpc.ts';

/** A page of a list. A cursor is the number of the items before it: a list that changes is asked for again anyway. */
export function pageOf(name: string, items: readonly object[], cursor: unknown, pageSize: number): object {
  const start = cursor === undefined ? 0 : startOf(cursor);
  const end = start + pageSize;
  return { [name]: items.slice(start, end), ...(end < items.length ? { nextCursor: String(end) } : {}) };
}

function startOf(cursor: unknown): number {
  if (typeof cursor === 'string' && /^[1-9]\d{0,8}$/.test(cursor)) return Number(cursor);
  throw new RpcError(CODES.invalidParams, 'The cursor is none that this server has given');
}
