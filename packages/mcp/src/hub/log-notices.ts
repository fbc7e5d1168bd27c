import { cleanText } from '../definitions/clean-text.ts';
import type { McpHostHandlers, McpLogEntry, McpLogLevel } from '../port/connection.ts';
import { isLoggedAt } from '../port/host-rules.ts';
import type { McpNotice } from './types.ts';

const MOST_CHARACTERS = 1_000;

/** The handlers, with logs of servers from a level on as notices. */
export function withLogNotices(
  handlers: McpHostHandlers,
  least: McpLogLevel | undefined,
  notify: (notice: McpNotice) => void,
): McpHostHandlers {
  if (least === undefined) return handlers;
  const log: McpHostHandlers['log'] = (serverName, entry) => {
    // A server may not know levels, or not care.
    if (isLoggedAt(entry.level, least)) notify({ kind: 'mcp_log', serverName, message: logText(serverName, entry) });
    handlers.log?.(serverName, entry);
  };
  return { ...handlers, log };
}

function logText(serverName: string, { level, logger, data }: McpLogEntry): string {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
  const of = logger === undefined ? '' : ` (${cleanText(logger, 100)})`;
  return `MCP server ${serverName}: ${level}${of}: ${cleanText(text, MOST_CHARACTERS)}`;
}
