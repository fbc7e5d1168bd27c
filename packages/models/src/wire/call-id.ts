/** Behind it, LiteLLM hides a signature of Gemini in the id of a call, and looks for it there. */
const HIDDEN_SIGNATURE = '__thought__';
/** Models of OpenAI: no gateway hides anything for them. */
const OF_OPENAI = /^(?:gpt-|chatgpt-|o\d|codex|computer-use)/;
const NOT_IN_NAMES = /[^a-zA-Z0-9_-]/g;
const MAX_NAME = 64;

/** The id of a call for a service that takes at most `limit` characters: the same for call and result. Longer ones become their hash. */
export function callIdWithin(limit: number, id: string): string {
  return id.length <= limit ? id : `call_${sha256(id).slice(0, 32)}`;
}

/** The SHA-256 of a text, in hexadecimal. */
export function sha256(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex'); // loaded with the first such id
}

/** Whether a gateway needs an id as it is, however long, for what it has hidden in it for the model `name`. */
export function hidesSignature(id: string, name: string): boolean {
  return id.includes(HIDDEN_SIGNATURE) && !isOpenAIModel(name);
}

/** Whether a model is one of OpenAI's, by its name; `vendor/` before it and `ft:` of a tuned model do not matter. */
export function isOpenAIModel(name: string): boolean {
  return OF_OPENAI.test(name.slice(name.lastIndexOf('/') + 1).replace(/^ft:/, ''));
}

/** The name of a called tool as services take it. Tools that are offered have such names; models may call others, or none. */
export function calledName(name: string): string {
  return name.replace(NOT_IN_NAMES, '_').slice(0, MAX_NAME) || 'unknown';
}
