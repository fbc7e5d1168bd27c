import { recordOf } from '../wire/json-values.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a model of chat completions wants in its requests, beyond what all of them take. */
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
}

const ORDINARY: ChatModelFacts = {
  thoughts: 'with calls',
  wantsEmptyThought: false,
  hasOutputFormat: true,
  canBeForced: true,
  takesUserAfterResults: true,
  wantsShortIds: false,
};
/** The first match counts. Names are compared in lower case, without the `vendor/` of a router and the `ft:` of a tuned model. */
const MODELS: readonly (readonly [name: RegExp, facts: Partial<ChatModelFacts>])[] = [
  // think by default, and refuse a history without thoughts, an output format, and a forced call (api-docs.deepseek.com, "Thinking Mode")
  [
    /^deepseek-(?:v(?:[4-9]|\d\d)|flash|pro)/,
    { thoughts: 'always', wantsEmptyThought: true, hasOutputFormat: false, canBeForced: false },
  ],
  [/^deepseek-reasoner/, { hasOutputFormat: false, canBeForced: false }],
  [/^deepseek-chat/, { hasOutputFormat: false }],
  // accept `json_schema` and ignore it, or refuse it (platform.openai.com, "Structured Outputs")
  [/^gpt-(?:3\.5|4(?:-|$))/, { hasOutputFormat: false }],
  // platform.moonshot.ai, "Thinking Models"
  [/^kimi-(?:k2-thinking|k2\.[5-9]|k[3-9]|thinking)/, { wantsEmptyThought: true, canBeForced: false }],
  [/^(?:qwen-?3|qwq|gpt-oss)/, { canBeForced: false }],
  // docs.mistral.ai; the chat templates of its open models refuse the same
  [
    /^(?:open-)?(?:mistral|ministral|mixtral|codestral|devstral|magistral|pixtral|voxtral)/,
    { takesUserAfterResults: false, wantsShortIds: true },
  ],
];

/**
 * The facts of the model `name`, with the host's fields: a model that thinks cannot be forced, one whose thinking is off can, and a host that
 * keeps thoughts (Kimi `keep`, GLM `clear_thinking`) has all of them sent back.
 */
export function chatModelFacts(name: string, extra: Fields = {}): ChatModelFacts {
  const bare = bareName(name);
  const facts = { ...ORDINARY, ...MODELS.find(([pattern]) => pattern.test(bare))?.[1] };
  const thinking = recordOf(extra['thinking']);
  const isOff = thinking?.['type'] === 'disabled' || extra['enable_thinking'] === false;
  const keepsAll = thinking?.['clear_thinking'] === false || thinking?.['keep'] === 'all';
  return {
    ...facts,
    canBeForced: isOff || (thinking === undefined && facts.canBeForced),
    ...(keepsAll ? { thoughts: 'always' } : {}),
  };
}

function bareName(model: string): string {
  return model
    .slice(model.lastIndexOf('/') + 1)
    .replace(/^ft:/, '')
    .toLowerCase();
}
