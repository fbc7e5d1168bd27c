import { ValidationError } from '@x/errors';
import type { OptionRule, OptionRules } from '@x/errors/option-rules';
import * as is from '@x/errors/option-rules';

/** Where a search is made from, for results of that place. */
export interface SearchPlace {
  readonly city?: string;
  readonly region?: string;
  /** Two letters, ISO 3166-1. */
  readonly country?: string;
  /** IANA, such as `Europe/Paris`. */
  readonly timezone?: string;
}
/**
 * A tool that the service of the model runs itself, on its machines: no handler, hook or sandbox of the host sees its calls. A rule that
 * denies `Service(<type>)` or `Service` refuses it.
 */
export type ServiceTool =
  | {
      readonly type: 'web_search';
      /** Searches of one request at most. */
      readonly maxUses?: number;
      /** Only pages of these, their subdomains included; without a scheme. */
      readonly allowedDomains?: readonly string[];
      /** No pages of these; not together with `allowedDomains`. */
      readonly blockedDomains?: readonly string[];
      readonly place?: SearchPlace;
    }
  | {
      readonly type: 'web_fetch';
      readonly maxUses?: number;
      readonly allowedDomains?: readonly string[];
      readonly blockedDomains?: readonly string[];
    }
  | { readonly type: 'code_execution' }
  /** Searches files that were given to the service; `stores` are the names or ids of their collections. */
  | { readonly type: 'file_search'; readonly stores: readonly string[]; readonly maxResults?: number }
  /** Makes pictures, which are blocks of the reply. The service has a default for each field. */
  | {
      readonly type: 'image_generation';
      /** Width and height such as `1536x1024`, or `auto`; of Gemini `1K`, `2K` or `4K`. */
      readonly size?: string;
      /** Width to height, such as `16:9`; of Gemini. */
      readonly aspectRatio?: string;
      readonly quality?: 'auto' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';
      readonly format?: 'png' | 'jpeg' | 'webp' | 'gif' | 'svg';
      readonly background?: 'auto' | 'transparent' | 'opaque';
    }
  | ServiceMcpServer;
/** A server of the Model Context Protocol that the service talks to, not this process. */
export interface ServiceMcpServer {
  readonly type: 'mcp';
  /** A letter, then letters, digits, `-` and `_`; each server has its own. */
  readonly name: string;
  /** Begins with `https://`, and has no user or password. */
  readonly url: string;
  /** A token that the service shows the server; never kept, so only among the options of a session. */
  readonly authorization?: string;
  /** Other headers for the server; like `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Names of its tools; default all. */
  readonly allowedTools?: readonly string[];
}
type Typed<Type extends ServiceTool['type']> = Extract<ServiceTool, { readonly type: Type }>;
const DOMAIN = is.rule(
  'a domain without scheme and path, such as example.com',
  (value) => typeof value === 'string' && /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(value),
);
const DOMAINS = is.filledListOf(DOMAIN, 'a list of domains that is not empty');
function matching(duty: string, pattern: RegExp): OptionRule {
  return is.rule(duty, (value) => typeof value === 'string' && pattern.test(value));
}
const PLACE: OptionRules<SearchPlace> = {
  city: is.filledText,
  region: is.filledText,
  country: is.rule('two capital letters', (value) => typeof value === 'string' && /^[A-Z]{2}$/.test(value)),
  timezone: is.filledText,
};
const TYPE = is.required(is.filledText);
const FETCH: OptionRules<Typed<'web_fetch'>> = {
  type: TYPE,
  maxUses: is.count(),
  allowedDomains: DOMAINS,
  blockedDomains: DOMAINS,
};
const SEARCH: OptionRules<Typed<'web_search'>> = { ...FETCH, place: is.nested(PLACE, 'an object such as { city }') };
const FILES: OptionRules<Typed<'file_search'>> = {
  type: TYPE,
  stores: is.required(is.filledListOf(is.filledText, 'a list of names that is not empty')),
  maxResults: is.count(),
};
const IMAGES: OptionRules<Typed<'image_generation'>> = {
  type: TYPE,
  size: matching('auto, 1K, 2K, 4K, or a size such as 1024x1024', /^(?:auto|[124]K|\d{2,5}x\d{2,5})$/),
  aspectRatio: matching('a ratio such as 16:9', /^\d{1,2}:\d{1,2}$/),
  quality: is.oneOf('auto', 'low', 'medium', 'high', 'xhigh', 'max'),
  format: is.oneOf('png', 'jpeg', 'webp', 'gif', 'svg'),
  background: is.oneOf('auto', 'transparent', 'opaque'),
};
const MCP: OptionRules<ServiceMcpServer> = {
  type: TYPE,
  name: is.required(matching('a letter, then letters, digits, - and _', /^[a-z][a-z0-9_-]{0,63}$/i)),
  url: is.required(is.secret(is.rule('an https address without a user, a password and a fragment', isServerUrl))),
  authorization: is.secret(
    is.rule('a token without spaces and line breaks', (value) => typeof value === 'string' && /^[!-~]+$/.test(value)),
  ),
  headers: is.secret(is.rule('texts by the names of headers', isHeaders)),
  allowedTools: is.filledListOf(is.filledText, 'a list of names that is not empty'),
};
const TOOLS: { readonly [Type in ServiceTool['type']]: OptionRule } = {
  web_search: is.nested(SEARCH),
  web_fetch: is.nested(FETCH),
  code_execution: is.nested<Typed<'code_execution'>>({ type: TYPE }),
  file_search: is.nested(FILES),
  image_generation: is.nested(IMAGES),
  mcp: is.nested(MCP),
};
const TOOL = is.typed(TOOLS);

/** The types of tools of a service. */
export const SERVICE_TOOL_TYPES: readonly ServiceTool['type'][] = Object.keys(TOOLS) as ServiceTool['type'][]; // safe: all keys

const LIST = is.filledListOf(TOOL, 'a list of tools that is not empty');
/** The rule for a list of tools of the service. */
export const SERVICE_TOOLS: OptionRule = is.rule(LIST.duty, LIST.fits, (value, path) => {
  LIST.inside?.(value, path);
  const tools = value as readonly ServiceTool[]; // safe: as was checked
  for (const [index, tool] of tools.entries()) {
    const place = `${path}[${index}]`;
    if (tools.findIndex((other) => keyOf(other) === keyOf(tool)) < index) {
      throw new ValidationError(`${place} is ${keyOf(tool)} once more; leave one of them out`, place);
    }
    if ('allowedDomains' in tool && 'blockedDomains' in tool) {
      throw new ValidationError(`${place} has allowedDomains and blockedDomains; leave one of them out`, place);
    }
  }
});

/** Servers differ by their names; of every other type there is one. */
function keyOf(tool: ServiceTool): string {
  return tool.type === 'mcp' ? `mcp ${tool.name}` : tool.type;
}

function isServerUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, username, password, hash } = new URL(value);
  return protocol === 'https:' && username === '' && password === '' && hash === '';
}

function isHeaders(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const headers = Object.entries(value);
  return (
    headers.length > 0 &&
    headers.every(
      ([name, text]) => /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && typeof text === 'string' && !/[\r\n\0]/.test(text),
    )
  );
}
