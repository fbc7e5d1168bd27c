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
    };
type Typed<Type extends ServiceTool['type']> = Extract<ServiceTool, { readonly type: Type }>;
const DOMAIN = is.rule(
  'a domain without scheme and path, such as example.com',
  (value) => typeof value === 'string' && /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(value),
);
const DOMAINS = is.filledListOf(DOMAIN, 'a list of domains that is not empty');
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
  size: is.rule('auto, 1K, 2K, 4K, or a size such as 1024x1024', (value) =>
    /^(?:auto|[124]K|\d{2,5}x\d{2,5})$/.test(String(value)),
  ),
  aspectRatio: is.rule('a ratio such as 16:9', (value) => /^\d{1,2}:\d{1,2}$/.test(String(value))),
  quality: is.oneOf('auto', 'low', 'medium', 'high', 'xhigh', 'max'),
  format: is.oneOf('png', 'jpeg', 'webp', 'gif', 'svg'),
  background: is.oneOf('auto', 'transparent', 'opaque'),
};
const TOOLS: { readonly [Type in ServiceTool['type']]: OptionRule } = {
  web_search: is.nested(SEARCH),
  web_fetch: is.nested(FETCH),
  code_execution: is.nested<Typed<'code_execution'>>({ type: TYPE }),
  file_search: is.nested(FILES),
  image_generation: is.nested(IMAGES),
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
    if (tools.findIndex(({ type }) => type === tool.type) < index) {
      throw new ValidationError(`${place} is ${tool.type} once more; leave one of them out`, place);
    }
    if ('allowedDomains' in tool && 'blockedDomains' in tool) {
      throw new ValidationError(`${place} has allowedDomains and blockedDomains; leave one of them out`, place);
    }
  }
});
