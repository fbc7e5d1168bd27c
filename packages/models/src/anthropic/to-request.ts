import type { AssistantMessage, ModelRequest, Tool } from '@x/core';
import { anthropicSchema } from '../schema/provider-schema.ts';
import { withExtra } from '../wire/extra-body.ts';
import { FINAL_DESCRIPTION, type FinalTool, finalInstruction } from '../wire/final-tool.ts';
import { recordOf } from '../wire/json-values.ts';
import { members, type RequestFormat } from '../wire/request-format.ts';
import { serviceToolsOf } from '../wire/service-steps.ts';
import { anthropicOptions } from './anthropic-options.ts';
import { computerEntry } from './computer.ts';
import { finalToolOf } from './final-tool.ts';
import { computerVersion, maxTokensOf } from './model-facts.ts';
import { bindsThinking, droppingStaleThinking } from './preserved-thinking.ts';
import { TOOL_SEARCH, wireServiceTool } from './service-tools.ts';
import { thinkingWasLeftOut } from './thinking-turn.ts';
import { wireMessages } from './to-messages.ts';

type Fields = Readonly<Record<string, unknown>>;
/** Options of `anthropicFormat`. */
export interface AnthropicFormatOptions {
  /** The host's fields. */
  readonly extraBody?: Fields;
  /** True when requests go to the service itself, which accepts thoughts back only with a signature. Default true. */
  readonly direct?: boolean;
  /** True for a reply that the service has paused. Default: none. */
  readonly isPaused?: (reply: AssistantMessage) => boolean;
  /**
   * Of a cloud: fields in place of `model` and `stream`, which its address says. Clouds know neither a cache mark of the whole request nor
   * fields of a beta.
   */
  readonly instead?: Fields;
  /** False on a cloud that has no computer use without a beta. Default true. */
  readonly hasComputer?: boolean;
}

/** Room for the answer when the host's budget for thinking exceeds the default limit. */
const ROOM_BESIDE_THINKING = 8_192;

/** The request format of the messages API for the model `name`. */
export function anthropicFormat(
  name: string,
  { extraBody = {}, direct = true, isPaused = () => false, instead, hasComputer = true }: AnthropicFormatOptions = {},
): RequestFormat {
  const { fieldsOf } = anthropicOptions(name, extraBody);
  const dropsStale = direct && !instead && bindsThinking(name);
  const computer = hasComputer ? computerVersion(name) : undefined;
  const own = partsOf(extraBody, dropsStale);
  const of = ({ options }: Pick<ModelRequest, 'options'>) =>
    options ? partsOf(withExtra(fieldsOf(options), extraBody, { hasTools: true }), dropsStale) : own;
  const isOff = ({ needsThinking }: HostParts, { messages }: ModelRequest) =>
    needsThinking && thinkingWasLeftOut(messages, direct);
  return {
    tools(request) {
      const final = finalToolOf(request, name);
      const { deferredTools } = request;
      const wire: readonly object[] = [
        ...request.tools.map((tool) =>
          tool.computer
            ? computerEntry(tool, tool.computer, { model: name, version: computer, isCloud: instead !== undefined })
            : wireTool(tool),
        ),
        ...serviceToolsOf(request, (tool) => wireServiceTool(tool, name)),
        ...(final ? [wireFinalTool(final)] : []),
        ...(deferredTools ? [TOOL_SEARCH] : []),
      ];
      // the service keeps deferred tools out of what it caches, and refuses a mark at them
      const deferred = deferredTools?.map((tool) => ({ ...wireTool(tool), defer_loading: true })) ?? [];
      const last = wire.at(-1);
      return members({ tools: last && [...wire.slice(0, -1), { ...last, ...of(request).cache }, ...deferred] });
    },
    variant: (request) => (isOff(of(request), request) ? 'without thinking' : ''),
    head(request, tools) {
      const parts = of(request);
      const { cache, fields } = parts;
      const extra = isOff(parts, request) ? withoutKey(fields, 'thinking') : fields;
      const body = bodyFields(name, request, { extra, instead });
      return `{${members({ ...body, ...(instead ? {} : cache) })}${tools}${system(request, name, cache)}"messages":[`;
    },
    messages: (message, _roleBefore, before) => wireMessages(message, { direct, isPaused, before, computer }),
    // the service does so itself, and compatible ones may refuse a role twice in a row
    merged: { start: '{"role":"user","content":[', end: ']}' },
  };
}

/** The fields of the host and of the options, in the parts that a request takes apart. */
interface HostParts {
  readonly cache: { readonly cache_control?: unknown };
  readonly fields: Fields;
  /** A budget is refused in a turn that began without thinking. */
  readonly needsThinking: boolean;
}

/** `dropsStale`: not all compatible services know the field. */
function partsOf(all: Fields, dropsStale: boolean): HostParts {
  const given = withoutKey(all, 'cache_control');
  const fields = dropsStale ? droppingStaleThinking(given) : given;
  return { cache: cacheControl(all), fields, needsThinking: recordOf(fields['thinking'])?.['type'] === 'enabled' };
}

interface OwnFields {
  readonly extra: Fields;
  readonly instead: Fields | undefined;
}

function bodyFields(name: string, request: ModelRequest, { extra, instead }: OwnFields): Fields {
  const { outputFormat, tools, deferredTools, options } = request;
  const final = finalToolOf(request, name);
  const thinking = recordOf(extra['thinking']);
  const thinks = thinking !== undefined && thinking['type'] !== 'disabled';
  const format = outputFormat && !final && { type: 'json_schema', schema: anthropicSchema(outputFormat.schema) };
  // a model that thinks refuses a forced tool call
  const hasTools = tools.length > 0 || [final, deferredTools, options?.serviceTools].some((one) => one !== undefined);
  const saysHowMany = hasTools && options?.parallelToolCalls !== undefined;
  const choice = final && !thinks ? 'any' : saysHowMany ? 'auto' : undefined;
  const own = {
    ...(instead ?? { model: name }),
    max_tokens: maxTokens(name, thinking?.['budget_tokens']),
    ...(instead ? {} : { stream: true }),
    ...(format ? { output_config: { format } } : {}),
    ...(choice ? { tool_choice: { type: choice } } : {}),
  };
  return withExtra(own, extra, { hasTools });
}

function maxTokens(name: string, budget: unknown): number {
  const most = maxTokensOf(name);
  return typeof budget === 'number' && budget >= most ? budget + ROOM_BESIDE_THINKING : most;
}

/** The same mark at all three places, because a longer one must not follow a shorter; `null` from the host removes them all. */
function cacheControl(extra: Fields): { readonly cache_control?: unknown } {
  const given = Object.hasOwn(extra, 'cache_control') ? extra['cache_control'] : { type: 'ephemeral' };
  return given === null || given === undefined ? {} : { cache_control: given };
}

function system({ instruction, ...request }: ModelRequest, name: string, cache: Fields): string {
  const final = finalToolOf(request, name);
  const texts = [instruction.toWellFormed(), ...(final ? [finalInstruction(final)] : [])];
  const blocks = texts.filter((text) => text.trim() !== '').map((text): object => ({ type: 'text', text }));
  const last = blocks.pop();
  return members({ system: last && [...blocks, { ...last, ...cache }] });
}

function wireTool({ name, description, inputSchema: { json } }: Tool): object {
  return {
    name,
    ...(description.trim() === '' ? {} : { description: description.toWellFormed() }),
    input_schema: json['type'] === 'object' ? json : { ...json, type: 'object' },
  };
}

function wireFinalTool({ name, inputSchema }: FinalTool): object {
  return { name, description: FINAL_DESCRIPTION, input_schema: inputSchema };
}

function withoutKey(fields: Fields, key: string): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== key));
}
