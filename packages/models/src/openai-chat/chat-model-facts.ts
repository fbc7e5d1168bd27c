import { takesSampling } from '../anthropic/model-facts.ts';
import { bareName } from './openai-facts.ts';

/** What chat models of other vendors than OpenAI take and refuse, by their documentation. A model that is not here takes everything. */
export interface ChatFacts {
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
}

const DEEPSEEK = { hasSwitch: true, samplesOnlyWithoutThinking: true, efforts: ['high', 'max'] } as const;
/** The first match counts. */
const FACTS: readonly (readonly [name: RegExp, facts: ChatFacts])[] = [
  // api-docs.deepseek.com, "Thinking Mode": lower efforts are read as high
  [/^deepseek-reasoner/, { ...DEEPSEEK, thinks: 'always', efforts: [] }],
  [/^deepseek-v[4-9]/, { ...DEEPSEEK, thinks: 'by default' }],
  [/^deepseek-chat/, DEEPSEEK],
  // docs.z.ai and platform.moonshot.ai: a switch, and no effort
  [/^(?:glm-(?:4\.[5-9]|[5-9])|kimi-k2\.[5-9])/, { hasSwitch: true, thinks: 'by default', efforts: [] }],
  // docs.x.ai, "Reasoning"
  [/^grok-4(?:-\d{4}|-latest|$)/, { thinks: 'always', efforts: [], refusesStop: true }],
  [/^grok-3-mini/, { thinks: 'always', efforts: ['low', 'high'], refusesStop: true }],
];
/** Models on Mistral's own service, whose names have no vendor (docs.mistral.ai, "Chat completion"). */
const MISTRAL = /^(?:mistral|ministral|magistral|codestral|devstral|pixtral)-/;

/** The facts about the model `name`, with or without the vendor that a router puts before it. */
export function chatFacts(model: string): ChatFacts {
  if (MISTRAL.test(model)) {
    const thinks = model.startsWith('magistral') ? ({ thinks: 'always', efforts: [] } as const) : { efforts: ['high'] };
    return { ...thinks, seedField: 'random_seed', refusesTier: true };
  }
  const name = bareName(model);
  if (name.startsWith('claude')) return { neverSamples: !takesSampling(name) };
  return FACTS.find(([pattern]) => pattern.test(name))?.[1] ?? {};
}
