import { bareName } from '../model-name/bare-name.ts';
/** Features of one model, known by its name only. */
export interface ModelTraits {
  /** Thinks by default, and shows its thoughts on request. Other models refuse to be asked for them. */
  readonly thinks: boolean;
  /** Refuses a history whose calls are not signed. */
  readonly wantsSignedCalls: boolean;
  /** Accepts images inside the result of a function; for others they come after it. */
  readonly takesMediaInResults: boolean;
  /** Accepts functions together with a schema for the answer. */
  readonly takesSchemaWithTools: boolean;
  /** Accepts an instruction; for others it is the first message. */
  readonly takesInstruction: boolean;
}

const FAMILY = 'gemini-';
const FIRST_THAT_THINKS = 2.5;
const FIRST_THAT_SIGNS = 3;
/** Names without a number refer to the newest model. */
const NEWEST = ['gemini-pro-latest', 'gemini-flash-latest', 'gemini-flash-lite-latest'];
/** These do not think, or not by default, despite their number. */
const SILENT = [
  'gemini-2.5-flash-lite',
  'gemini-2.5-flash-image',
  'gemini-2.5-flash-preview-image',
  'gemini-2.5-flash-preview-tts',
  'gemini-2.5-pro-preview-tts',
];

/** The traits of the model `name`, with or without `models/` before it. An unknown one gets no special treatment. */
export function traitsOf(name: string): ModelTraits {
  const bare = bareName(name);
  const generation = generationOf(name);
  const signs = generation >= FIRST_THAT_SIGNS;
  return {
    thinks: signs || (generation >= FIRST_THAT_THINKS && !SILENT.some((prefix) => bare.startsWith(prefix))),
    wantsSignedCalls: signs,
    takesMediaInResults: signs,
    takesSchemaWithTools: signs,
    takesInstruction: !bare.startsWith('gemma-3'),
  };
}

/** True for a model that acts on a desktop: from 3.5 on (ai.google.dev, "Computer Use"); before, there were browsers alone. */
export function hasComputerUse(name: string): boolean {
  return generationOf(name) >= 3.5 && !/-(?:image|tts|live|audio)/.test(bareName(name));
}

/** 2.5 for `gemini-2.5-flash`; not a number for models of other families. */
export function generationOf(name: string): number {
  const bare = bareName(name);
  if (NEWEST.includes(bare)) return FIRST_THAT_SIGNS;
  return bare.startsWith(FAMILY) ? Number.parseFloat(bare.slice(FAMILY.length)) : Number.NaN;
}
