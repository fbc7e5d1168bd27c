import { type UserMessage, ValidationError } from '@x/core';
import { resultMedia } from '@x/core/internal';
import { isRecord } from '@x/errors';
import type { McpHub, McpPrompt, McpWaitOptions } from '@x/mcp';
import { cleanText, resultOfCall } from '@x/mcp/internal';
import type { CommandLine, SlashCommand } from '../commands/slash-command.ts';
import { splitArguments } from '../commands/split-arguments.ts';

/** Characters of a prompt's text. */
const MOST_CHARACTERS = 256 * 1024;
/** Characters of a description, and of an argument's name. */
const MOST_SHOWN = 200;
/** Prompts of all servers together that are listed. */
const MOST_COMMANDS = 1_000;
/** Milliseconds for the list of one server: a list of commands waits for nobody longer. */
const LIST_TIMEOUT_MS = 5_000;

/** The content of a message that a server has written. */
export type PromptContent = UserMessage['content'];

/** The prompts of the servers that are connected, as commands `/mcp__server__prompt`. A server that does not answer has none. */
export async function promptCommands(hub: McpHub): Promise<SlashCommand[]> {
  const connected = hub.status().filter(({ status }) => status === 'connected');
  const lists = connected.map(async ({ name: server }) => {
    const prompts = await hub.listPrompts(server, { timeoutMs: LIST_TIMEOUT_MS }).catch(() => []); // its status says why
    const byName = Map.groupBy(prompts, (prompt) => commandOf(server, prompt));
    // Two prompts under one name would be a matter of luck.
    return [...byName].flatMap(([name, same]) => (same.length === 1 ? same.map((prompt) => shown(name, prompt)) : []));
  });
  return (await Promise.all(lists)).flat().slice(0, MOST_COMMANDS);
}

/**
 * Asks the server that a command names for the prompt; undefined when it names no server of the session. What is returned throws a
 * ValidationError for an unknown prompt and for wrong arguments, McpError, AbortError.
 */
export function promptOf(
  { name, rest }: CommandLine,
  { hub, servers }: { readonly hub: McpHub; readonly servers: readonly string[] },
): ((signal?: AbortSignal) => Promise<PromptContent>) | undefined {
  const server = servers.find((one) => name.startsWith(`mcp__${one}__`));
  if (server === undefined) return undefined;
  return async (signal) => {
    const options = signal ? { signal } : {};
    const prompts = await hub.listPrompts(server, options);
    const [prompt, other] = prompts.filter((one) => commandOf(server, one) === name);
    if (!prompt) {
      const known = prompts.slice(0, 20).map((one) => `/${commandOf(server, one)}`);
      throw refusedMessage(`MCP server ${server} has no prompt for /${name}; it has: ${known.join(', ') || 'none'}`);
    }
    if (other) throw refusedMessage(`MCP server ${server} has two prompts that would both be /${name}`);
    const values = valuesOf(shown(name, prompt), argumentsOf(prompt), rest);
    return contentOf(name, await hub.getPrompt(server, prompt.name, values, options));
  };
}

/** The server's own name of a prompt that may be named as its command. @throws McpError, AbortError */
export async function promptNameOf(
  name: string | undefined,
  { hub, server, options }: { readonly hub: McpHub; readonly server: string; readonly options?: McpWaitOptions },
): Promise<string | undefined> {
  if (!name?.startsWith(`mcp__${server}__`)) return name;
  const prompts = await hub.listPrompts(server, options);
  return prompts.find((prompt) => commandOf(server, prompt) === name)?.name ?? name;
}

/** A name without what a command cannot have. */
function commandOf(server: string, { name }: McpPrompt): string {
  return `mcp__${server}__${name.slice(0, MOST_SHOWN).replaceAll(/[^\p{L}\p{N}_-]/gu, '_')}`;
}

interface PromptArgument {
  readonly name: string;
  readonly isRequired: boolean;
}

function argumentsOf(prompt: McpPrompt): PromptArgument[] {
  const list = prompt['arguments'];
  return (Array.isArray(list) ? list : []).flatMap((one): PromptArgument[] => {
    if (!isRecord(one) || typeof one['name'] !== 'string') return [];
    return [{ name: one['name'], isRequired: one['required'] === true }];
  });
}

function shown(name: string, prompt: McpPrompt): SlashCommand {
  const { description } = prompt;
  const places = argumentsOf(prompt).map((one) => {
    const text = cleanText(one.name, MOST_SHOWN);
    return one.isRequired ? `<${text}>` : `[${text}]`;
  });
  return {
    name,
    description: typeof description === 'string' ? cleanText(description, MOST_SHOWN) : '',
    ...(places.length > 0 ? { usage: `/${name} ${places.join(' ')}` } : {}),
  };
}

/** The words behind the command, in the order of the arguments; the last one takes all that is left. */
function valuesOf(
  { name, usage = `/${name}` }: SlashCommand,
  places: readonly PromptArgument[],
  rest: string,
): Record<string, string> {
  const words = splitArguments(rest);
  const last = places.length - 1;
  if (words.length > places.length && last >= 0) words.splice(last, words.length, words.slice(last).join(' '));
  if (words.length > places.length) throw refusedMessage(`The command /${name} takes no arguments`);
  const missing = places.find(({ isRequired }, index) => isRequired && words[index] === undefined);
  if (missing) throw refusedMessage(`The command /${name} needs ${cleanText(missing.name, MOST_SHOWN)}: ${usage}`);
  return Object.fromEntries(words.map((word, index) => [places[index]!.name, word])); // there are no more words than places
}

function contentOf(command: string, messages: readonly Readonly<Record<string, unknown>>[]): PromptContent {
  const parts = messages.map(({ role, content }) => {
    const result = resultOfCall({ content: [content].flat() });
    const { output } = result;
    return { text: role === 'assistant' ? `Assistant: ${output}` : output, media: resultMedia(result) };
  });
  const texts = parts.map((part) => part.text).filter((one) => one !== '');
  const text = texts.join('\n\n');
  const media = parts.flatMap((part) => part.media);
  if (text.length > MOST_CHARACTERS)
    throw refusedMessage(`The prompt of /${command} is longer than ${MOST_CHARACTERS} characters`);
  if (text.trim() === '' && media.length === 0) throw refusedMessage(`The prompt of /${command} is empty`);
  return [{ type: 'text', text: cleanText(text, MOST_CHARACTERS) }, ...media];
}

function refusedMessage(text: string): ValidationError {
  return new ValidationError(text, 'message');
}
