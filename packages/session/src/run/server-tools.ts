import type { RunContext, Tool } from '@x/core';
import type { McpHub } from '@x/mcp';
import type { Riders } from '../log/session-journal.ts';
import type { SessionServers } from '../mcp/session-servers.ts';
import type { SessionFacts } from './title-and-metadata.ts';

/** The tools of a session's servers for a run that is under way; what is new about them is told to its observers. */
export function comingTools(
  servers: SessionServers | undefined,
  run: Pick<RunContext, 'emit'>,
): (() => readonly Tool[]) | undefined {
  if (!servers) return undefined;
  return () => {
    const tools = servers.tools();
    for (const notice of servers.takeNotices()) run.emit(notice);
    return tools;
  };
}

/**
 * The definitions that the log does not have, for the next record of the run. So a model that was shown them has not answered, and nothing
 * was called, before they are durable; what nobody has recorded is not seen for the first time.
 */
export function pinRiders(servers: SessionServers): Riders {
  return {
    take() {
      const pins = servers.takePins();
      return pins.length > 0 ? [{ type: 'mcp_pins', pins }] : [];
    },
    giveBack(bodies) {
      for (const body of bodies) if (body.type === 'mcp_pins') servers.returnPins(body.pins);
    },
  };
}

/** Durable when it resolves. @throws SessionError `SESSION_BUSY` while the session is run elsewhere: then the next run records them */
async function recordPins(servers: SessionServers, facts: SessionFacts): Promise<void> {
  const pins = servers.takePins();
  if (pins.length === 0) return;
  try {
    await facts.record(() => ({ type: 'mcp_pins', pins }));
  } catch (error) {
    servers.returnPins(pins);
    throw error;
  }
}

/** The servers of a session. @throws McpError `CONFIG_ERROR` for a session without servers */
export async function serversFor(serverName: string, servers: SessionServers | undefined): Promise<SessionServers> {
  if (servers) return servers;
  const { McpError } = await import('@x/mcp');
  const message = `MCP server ${serverName} is unknown: this session has no mcpServers`;
  throw new McpError(message, { serverName, errorType: 'CONFIG_ERROR' });
}

/** Offers tools that have changed, from now on and after a resume. @throws McpError, SessionError `SESSION_BUSY` as above */
export async function approve(
  servers: SessionServers,
  facts: SessionFacts,
  ...of: Parameters<McpHub['approve']>
): Promise<void> {
  servers.approve(...of);
  await recordPins(servers, facts);
}
