import { takesSampling } from '../anthropic/model-facts.ts';
import { bareName } from '../model-name/bare-name.ts';
import { recordOf } from '../wire/json-values.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a model of chat completions wants in its requests, beyond what all of them take, and which options it refuses. */
export interface ChatModelFacts {
  /** Replies that go back with their thoughts: those with calls, or all. */
  readonly thoughts: 'with calls' | 'always';
  /** A reply without a thought goes back with an empty one. */
  readonly wantsEmptyThought: boolean;
  /** Has an output mode for a given schema. */
  readonly hasOutputFormat: boolean;
  /** May be forced to call a tool. */
  readonly canBeForced: boolean;
  /** Accepts a user message directly after the results of tools. */
  readonly takesUserAfterResults: boolean;
  /** Accepts only ids of nine letters and digits for calls. */
  readonly wantsShortIds: boolean;
  /** Thinks unless told otherwise, or always. */
  readonly thinks?: 'by default' | 'always';
  /** `thinking: { type }` switches its thinking. Then it refuses a forced call while it thinks. */
  readonly hasSwitch?: boolean;
  /** Efforts it tells apart; absent: any. */
  readonly efforts?: readonly string[];
  /** Has neither `temperature` nor `top_p` while it thinks: it ignores them. */
  readonly samplesOnlyWithoutThinking?: boolean;
  /** Has neither at all. */
  readonly neverSamples?: boolean;
  readonly refusesStop?: boolean;
  /** The name of `seed`. */
  readonly seedField?: string;
  /** Refuses the whole request for an unknown field. */
  readonly refusesTier?: boolean;
  /** Has no probabilities of tokens: it refuses the fields, or ignores them. */
  readonly lacksLogprobs?: boolean;
}

const ORDINARY: ChatModelFacts = {
  thoughts: 'with calls',
  wantsEmptyThought: false,
  hasOutputFormat: true,
  canBeForced: true,
  takesUserAfterResults: true,
  wantsShortIds: false,
};
const DEEPSEEK = {
  hasOutputFormat: false,
  hasSwitch: true,
  samplesOnlyWithoutThinking: true,
  efforts: ['high', 'max'], // lower ones are read as high
} as const;
/** The first match counts. Names are compared in lower case, without the `vendor/` of a router and the `ft:` of a tuned model. */
const MODELS: readonly (readonly [name: RegExp, facts: Partial<ChatModelFacts>])[] = [
  // think by default, and refuse a history without thoughts, an output format, and a forced call (api-docs.deepseek.com, "Thinking Mode")
  [
    /^deepseek-(?:v(?:[4-9]|\d\d)|flash|pro)/,
    { ...DEEPSEEK, thinks: 'by default', thoughts: 'always', wantsEmptyThought: true, canBeForced: false },
  ],
  [/^deepseek-reasoner/, { ...DEEPSEEK, thinks: 'always', canBeForced: false, efforts: [] }],
  [/^deepseek-chat/, DEEPSEEK],
  // accept `json_schema` and ignore it, or refuse it (platform.openai.com, "Structured Outputs")
  [/^gpt-(?:3\.5|4(?:-|$))/, { hasOutputFormat: false }],
  // platform.moonshot.ai, "Thinking Models": a switch, and no effort
  [
    /^kimi-k2\.[5-9]/,
    { hasSwitch: true, thinks: 'by default', efforts: [], wantsEmptyThought: true, canBeForced: false },
  ],
  [/^kimi-(?:k2-thinking|k[3-9]|thinking)/, { wantsEmptyThought: true, canBeForced: false }],
  [/^(?:qwen-?3|qwq|gpt-oss)/, { canBeForced: false }],
  // docs.z.ai
  [/^glm-(?:4\.[5-9]|[5-9])/, { hasSwitch: true, thinks: 'by default', efforts: [] }],
  // docs.x.ai, "Reasoning"
  [/^grok-4(?:-\d{4}|-latest|$)/, { thinks: 'always', efforts: [], refusesStop: true }],
  [/^grok-3-mini/, { thinks: 'always', efforts: ['low', 'high'], refusesStop: true }],
  // docs.mistral.ai; the chat templates of its open models refuse the same
  [
    /^(?:open-)?(?:mistral|ministral|mixtral|codestral|devstral|magistral|pixtral|voxtral)/,
    { takesUserAfterResults: false, wantsShortIds: true },
  ],
];
/** Models on Mistral's own service, whose names have no vendor (docs.mistral.ai, "Chat completion"). */
const AT_MISTRAL = /^(?:mistral|ministral|magistral|codestral|devstral|pixtral)-/;

/**
 * The facts of the model `name`, with the fields of a request: a model that thinks cannot be forced, one whose thinking is off can, and a host
 * that keeps thoughts (Kimi `keep`, GLM `clear_thinking`) has all of them sent back.
 */
export function chatModelFacts(name: string, fields: Fields = {}): ChatModelFacts {
  const facts = { ...ORDINARY, ...factsByName(name) };
  const thinking = recordOf(fields['thinking']);
  const isOff = thinking?.['type'] === 'disabled' || fields['enable_thinking'] === false;
  const keepsAll = thinking?.['clear_thinking'] === false || thinking?.['keep'] === 'all';
  return {
    ...facts,
    canBeForced: isOff || (thinking === undefined && facts.canBeForced),
    ...(keepsAll ? { thoughts: 'always' } : {}),
  };
}

function factsByName(model: string): Partial<ChatModelFacts> {
  const name = bareName(model);
  if (name.startsWith('claude')) return { neverSamples: !takesSampling(name), lacksLogprobs: true };
  const facts = MODELS.find(([pattern]) => pattern.test(name))?.[1];
  if (!AT_MISTRAL.test(model)) return facts ?? {};
  const thinks = model.startsWith('magistral') ? ({ thinks: 'always', efforts: [] } as const) : { efforts: ['high'] };
  return { ...facts, ...thinks, seedField: 'random_seed', refusesTier: true, lacksLogprobs: true };
}
