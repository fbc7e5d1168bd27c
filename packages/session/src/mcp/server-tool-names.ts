import { ValidationError } from '@x/core';
import { knownNames } from '@x/core/internal';
import { matcherTest, namesTool, toolNameOf } from '@x/handlers/internal';
import { toolNameOf as nameForModel } from '@x/mcp/internal';

const PREFIX = 'mcp__';
/** Stands for nothing: people mean all tools of all servers by it. */
const ALL = `${PREFIX}*`;

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
    const refuse = (why: string) => new ValidationError(`${field}: ${JSON.stringify(written)} ${why}`, field);
    if (name === ALL) throw refuse(`names no server; write ${PREFIX}${servers[0]}__*, and so for each`);
    if (!name.startsWith(PREFIX) || name !== written || !name.slice(PREFIX.length).includes('__')) return true; // checked as all others
    const rest = name.slice(PREFIX.length);
    const at = rest.indexOf('__');
    const [server, tool] = [rest.slice(0, at), rest.slice(at + 2)];
    if (!servers.includes(server)) {
      throw refuse(`names no server of this session; ${knownNames(server, servers)}`);
    }
    if (tool === '') throw refuse(`names no tool; write ${name}* for all of the server`);
    const seen = nameForModel(server, tool);
    if (tool !== '*' && seen !== name) throw refuse(`is not what the model sees; write ${seen}`);
    return false;
  });
}

/**
 * True when the matcher of a hook speaks of tools that servers of the session may have. @throws ValidationError for one that begins like
 * their names, and could match none of them
 */
export function matchesServerTools(
  matcher: string,
  { servers, field }: { readonly servers: readonly string[]; readonly field: string },
): boolean {
  if (servers.length === 0) return false;
  const refuse = (part: string, why: string) => new ValidationError(`${field}: ${JSON.stringify(part)} ${why}`, field);
  const speaksOfOne = (pattern: string) => servers.some((one) => matcherTest(pattern, field)(`${PREFIX}${one}__x`));
  const parts = matcher.includes('(') ? [matcher] : matcher.split('|'); // parentheses may join names
  const own = parts.filter((part) => part.startsWith(PREFIX));
  for (const part of own) {
    const server = servers.find((one) => part.startsWith(`${PREFIX}${one}__`));
    const rest = part.slice(`${PREFIX}${server}__`.length);
    if (/[,\s]/.test(part)) throw refuse(part, 'matches nothing; names are joined by |');
    if (/\w\*$/.test(part)) throw refuse(part, `is a regular expression; write ${part.slice(0, -1)}.*`);
    if (server === undefined) {
      if (part.includes('(') || speaksOfOne(part)) continue;
      throw refuse(part, `speaks of no server of this session; known are ${servers.join(', ')}`);
    }
    if (rest === '') throw refuse(part, `names no tool; for all of the server write ${part}.*`);
    if (/^[\w-]+$/.test(rest) && nameForModel(server, rest) !== part)
      throw refuse(part, `is not what the model sees; write ${nameForModel(server, rest)}`);
  }
  return own.length > 0 || speaksOfOne(matcher);
}

/** Tools of servers have such names; a tool of the host may have one too. */
export function isNameOfServerTool(toolName: string): boolean {
  return toolName.startsWith(PREFIX);
}

/** True when an entry of the list speaks of the tool. */
export function isListed(list: readonly string[], toolName: string): boolean {
  return list.some((written) => namesTool(written, toolName));
}
