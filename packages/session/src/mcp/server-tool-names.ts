import { ValidationError } from '@x/core';
import { knownNames } from '@x/core/internal';
import { namesTool, toolNameOf } from '@x/handlers/internal';
import { toolNameOf as nameForModel } from '@x/mcp/internal';

const PREFIX = 'mcp__';

/**
 * The entries of a list that are not about MCP tools; those that are must name a server of the session, and the tool as the model sees it:
 * any other would guard nothing, for tools come later than lists. @throws ValidationError
 */
export function withoutServerTools(
  list: readonly string[],
  { servers, field }: { readonly servers: readonly string[]; readonly field: string },
): readonly string[] {
  if (servers.length === 0) return list;
  return list.filter((written) => {
    const name = typeof written === 'string' ? toolNameOf(written) : '';
    if (!name.startsWith(PREFIX) || name !== written || !name.slice(PREFIX.length).includes('__')) return true; // checked as all others
    const rest = name.slice(PREFIX.length);
    const at = rest.indexOf('__');
    const [server, tool] = [rest.slice(0, at), rest.slice(at + 2)];
    const refuse = (why: string) => new ValidationError(`${field}: ${JSON.stringify(written)} ${why}`, field);
    if (!servers.includes(server)) {
      throw refuse(`names no server of this session; ${knownNames(server, servers)}`);
    }
    const seen = nameForModel(server, tool);
    if (tool !== '*' && seen !== name) throw refuse(`is not what the model sees; write ${seen}`);
    return false;
  });
}

/** True when an entry of the list speaks of the tool. */
export function isListed(list: readonly string[], toolName: string): boolean {
  return list.some((written) => namesTool(written, toolName));
}
