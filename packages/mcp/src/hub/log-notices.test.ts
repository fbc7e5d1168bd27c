import { describe, expect, it } from 'vitest';
import type { McpLogEntry } from '../port/connection.ts';
import { withLogNotices } from './log-notices.ts';
import type { McpNotice } from './types.ts';

describe('withLogNotices', () => {
  const told = (entry: McpLogEntry, hasOwn = false) => {
    const notices: McpNotice[] = [];
    const own: unknown[] = [];
    const given = hasOwn ? { log: (...seen: readonly unknown[]) => void own.push(seen) } : {};
    withLogNotices(given, 'warning', (notice) => void notices.push(notice)).log?.('a', entry);
    return { notices: notices.map(({ message }) => message), own };
  };

  it.each<[McpLogEntry, string[]]>([
    [{ level: 'error', data: 'It broke.' }, ['MCP server a: error: It broke.']],
    [{ level: 'warning', logger: 'disk', data: { free: 0 } }, ['MCP server a: warning (disk): {"free":0}']],
    [{ level: 'alert', data: undefined }, ['MCP server a: alert: ']],
    [{ level: 'info', data: 'Fine.' }, []],
  ])('tells of %o', (entry, messages) => {
    expect(told(entry).notices).toEqual(messages);
  });

  it('passes everything to the handler of the host', () => {
    const entry: McpLogEntry = { level: 'debug', data: 'x' };
    expect(told(entry, true)).toEqual({ notices: [], own: [['a', entry]] });
  });

  it('changes nothing without a level', () => {
    const handlers = {};
    expect(withLogNotices(handlers, undefined, () => undefined)).toBe(handlers);
  });
});
