import { type MediaBlock, type MediaKind, mediaKind } from '@x/core/internal';
import { bareName } from '../model-name/bare-name.ts';

/** The APIs that models are asked over. */
export type ModelApi = 'chat' | 'responses' | 'anthropic' | 'gemini' | 'converse' | 'ai-sdk';
/** True for a part that a model reads. */
export type Reads = (part: MediaBlock) => boolean;

interface WireKinds {
  /** Media types that the API has a form for; files of text go as text everywhere. */
  readonly types: readonly string[];
  /** The kinds that may come as an address, which the service fetches. */
  readonly links: readonly MediaKind[];
}

const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const SOUNDS = ['audio/wav', 'audio/mpeg', 'audio/aiff', 'audio/aac', 'audio/ogg', 'audio/flac'];
/** A link to a picture of any kind; only Gemini asks for the exact one. */
const ANY_PICTURE = 'image/*';

/** By API: platform.openai.com "Images and vision", "File inputs", "Audio"; platform.claude.com "Vision", "PDF support"; ai.google.dev "Files". */
const APIS: Readonly<Record<ModelApi, WireKinds>> = {
  chat: { types: [...PICTURES, ANY_PICTURE, 'application/pdf', 'audio/wav', 'audio/mpeg'], links: ['image'] },
  responses: { types: [...PICTURES, ANY_PICTURE, 'application/pdf'], links: ['image', 'pdf'] },
  anthropic: { types: [...PICTURES, ANY_PICTURE, 'application/pdf'], links: ['image', 'pdf'] },
  gemini: {
    types: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif', 'application/pdf', ...SOUNDS],
    links: ['image', 'pdf', 'text', 'audio'],
  },
  // docs.aws.amazon.com, "ImageBlock", "DocumentBlock"
  converse: { types: [...PICTURES, 'application/pdf'], links: [] },
  // whatever a provider of the AI SDK may write; which addresses it fetches the model says itself
  'ai-sdk': {
    types: [...PICTURES, ANY_PICTURE, 'application/pdf', ...SOUNDS],
    links: ['image', 'pdf', 'text', 'audio'],
  },
};

/** Kinds that families of models read besides messages and files of text; the first that matches a name counts. */
const FAMILIES: readonly (readonly [name: RegExp, kinds: readonly MediaKind[]])[] = [
  [/^(?:gpt-3|gpt-4(?:-(?:\d{4}|32k|turbo-preview)|$)|o1-(?:mini|preview)|o3-mini|gpt-oss|text-|davinci|babbage)/, []],
  [/^(?:gpt-4o(?:-mini)?-audio|gpt-audio)/, ['audio']],
  [/^gpt-4-(?:turbo|vision)/, ['image']],
  [/^(?:gpt-(?:4o|4\.\d|[5-9]|\d\d)|chatgpt-4o|o\d|codex|computer-use)/, ['image', 'pdf']],
  [/^claude-(?:2|instant)/, []],
  [/^claude-3-(?:opus|sonnet|haiku)/, ['image']],
  [/^claude/, ['image', 'pdf']],
  [/^(?:gemini-.*-tts|gemini-embedding|gemma-3-(?:1b|270m)|gemma-[12])/, []],
  [/^gemma/, ['image']],
  [/^gemini/, ['image', 'pdf', 'audio']],
  [/^deepseek-(?:chat|reasoner|coder|r1|v[23])/, []],
];
/** Kinds that models of no family are given: services that do not read pictures say so themselves. */
const UNKNOWN: readonly MediaKind[] = ['image'];

/** Says which parts of messages the model `name` reads, by what is known of the API and of its family. */
export function readsOf(api: ModelApi, name: string): Reads {
  const { types, links } = APIS[api];
  // clouds write `eu.anthropic.claude-...`
  const bare = bareName(name).replace(/^.*anthropic\./, '');
  const kinds = FAMILIES.find(([family]) => family.test(bare))?.[1] ?? UNKNOWN;
  return ({ type, mediaType }) => {
    const plain = mediaType.toLowerCase().replace('image/jpg', 'image/jpeg');
    const kind = mediaKind(plain);
    if (type === 'link' && !links.includes(kind)) return false;
    return kind === 'text' || (kinds.includes(kind) && types.includes(plain));
  };
}
