import { bareName } from '../model-name/bare-name.ts';

/** LiteLLM hides a signature of Gemini after this mark in the id of a call, and expects it there. */
const HIDDEN_SIGNATURE = '__thought__';
/** Models of OpenAI: no gateway hides anything in their ids. */
const OF_OPENAI = /^(?:gpt-|chatgpt-|o\d|codex|computer-use)/;
const NOT_IN_NAMES = /[^a-zA-Z0-9_-]/g;
const MAX_NAME = 64;

/** The id of a call for a service that accepts at most `limit` characters: equal for call and result. Longer ones become their hash. */
export function callIdWithin(limit: number, id: string): string {
  return id.length <= limit ? id : `call_${sha256(id).slice(0, 32)}`;
}

/** The SHA-256 of a text, in hexadecimal. */
export function sha256(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex'); // loaded with the first such id
}

/** True when a gateway needs an id unchanged, however long, because it hides data in it for the model `name`. */
export function hidesSignature(id: string, name: string): boolean {
  return id.includes(HIDDEN_SIGNATURE) && !isOpenAIModel(name);
}

/** True when the name is that of an OpenAI model; `vendor/` before it and `ft:` of a tuned model are ignored. */
export function isOpenAIModel(name: string): boolean {
  return OF_OPENAI.test(bareName(name));
}

/** The name of a called tool in the services' format. Offered tools have such names; models may call others, or none. */
export function calledName(name: string): string {
  return name.replace(NOT_IN_NAMES, '_').slice(0, MAX_NAME) || 'unknown';
}
