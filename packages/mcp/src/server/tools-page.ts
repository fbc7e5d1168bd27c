import { CODES, RpcError } from './json-rpc.ts';
import type { McpServedTool } from './tool-source.ts';

/** A page of `tools/list`. A cursor is the number of the tools before it: a list that changes is asked for again anyway. */
export function toolsPage(tools: readonly McpServedTool[], cursor: unknown, pageSize: number): object {
  const start = cursor === undefined ? 0 : startOf(cursor);
  const end = start + pageSize;
  return { tools: tools.slice(start, end), ...(end < tools.length ? { nextCursor: String(end) } : {}) };
}

function startOf(cursor: unknown): number {
  if (typeof cursor === 'string' && /^[1-9]\d{0,8}$/.test(cursor)) return Number(cursor);
  throw new RpcError(CODES.invalidParams, 'The cursor is none that this server has given');
}
