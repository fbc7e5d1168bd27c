/** o1 and its like, everything from GPT-5 on, and the models for code and computers. */
const REASONING = /^(?:o\d|gpt-(?:[5-9]|\d\d)|codex|computer-use)/;
/** The chat variants of GPT-5 do not reason. */
const CHAT = /^gpt-5-chat/;

/**
 * Whether a model gives out encrypted reasoning, and takes it back. The service refuses both for its other models, so only names that
 * are known count; `vendor/` before a name and `ft:` of a tuned model do not matter.
 */
export function isReasoningModel(name: string): boolean {
  const bare = name.slice(name.lastIndexOf('/') + 1).replace(/^ft:/, '');
  return REASONING.test(bare) && !CHAT.test(bare);
}
