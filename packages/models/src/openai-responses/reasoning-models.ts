import { bareName } from '../model-name/bare-name.ts';

/** o1 and its like, everything from GPT-5 on, and the models for code and computers. */
const REASONING = /^(?:o\d|gpt-(?:[5-9]|\d\d)|codex|computer-use)/;
/** The chat variants of GPT-5 do not reason. */
const CHAT = /^gpt-5-chat/;
/** These refuse to be asked for encrypted reasoning, also as a part of the name of a deployment. */
const SILENT = /(?:^|[^a-z])(?:chatgpt|gpt-?(?:3|4|oss|5-chat))/;

/**
 * True for a model of OpenAI that takes encrypted reasoning of another model. The service refuses it for its other models, so only names
 * that are known count; `vendor/`, `openai.` (Bedrock) and `ft:` before a name do not matter.
 */
export function isReasoningModel(name: string): boolean {
  const bare = bareName(name);
  return REASONING.test(bare) && !CHAT.test(bare);
}

/** True for a model that is asked for its encrypted reasoning: every one that is not known to refuse this, such as a deployment. */
export function givesReasoning(name: string): boolean {
  return !SILENT.test(bareName(name));
}
