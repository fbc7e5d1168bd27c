/** What the service takes from, and gives for, one model; known by its name only. */
export interface ModelTraits {
  /** It thinks unless told otherwise, and shows its thoughts on demand. Others refuse to be asked for them. */
  readonly thinks: boolean;
  /** It refuses a history whose calls are not signed. */
  readonly wantsSignedCalls: boolean;
  /** Images may stand inside the result of a function; for others they come after it. */
  readonly takesImagesInResults: boolean;
  /** Functions may be offered together with a schema for the answer. */
  readonly takesSchemaWithTools: boolean;
  /** There is a place for the instruction; for others it is the first message. */
  readonly takesInstruction: boolean;
}

const FAMILY = 'gemini-';
const FIRST_THAT_THINKS = 2.5;
const FIRST_THAT_SIGNS = 3;
/** Names without a number stand for the newest model. */
const NEWEST = ['gemini-pro-latest', 'gemini-flash-latest', 'gemini-flash-lite-latest'];
/** These do not think, or not by default, whatever their number says. */
const SILENT = [
  'gemini-2.5-flash-lite',
  'gemini-2.5-flash-image',
  'gemini-2.5-flash-preview-image',
  'gemini-2.5-flash-preview-tts',
  'gemini-2.5-pro-preview-tts',
];

/** The traits of the model `name`, with or without `models/` before it. One that is not known is asked for nothing special. */
export function traitsOf(name: string): ModelTraits {
  const bare = name.slice(name.lastIndexOf('/') + 1);
  const generation = bare.startsWith(FAMILY) ? Number.parseFloat(bare.slice(FAMILY.length)) : Number.NaN;
  const signs = generation >= FIRST_THAT_SIGNS || NEWEST.includes(bare);
  return {
    thinks: signs || (generation >= FIRST_THAT_THINKS && !SILENT.some((prefix) => bare.startsWith(prefix))),
    wantsSignedCalls: signs,
    takesImagesInResults: signs,
    takesSchemaWithTools: signs,
    takesInstruction: !bare.startsWith('gemma-3'),
  };
}
