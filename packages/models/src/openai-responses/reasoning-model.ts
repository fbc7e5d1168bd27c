/** o1 and similar models, everything from GPT-5 on, and the models for code and computers. */
const REASONING = /^(?:o\d|gpt-(?:[5-9]|\d\d)|codex|computer-use)/;
/** The chat variants of GPT-5 do not reason. */
const CHAT = /^gpt-5-chat/;

/**
 * True when a model returns encrypted reasoning, and accepts it back. The service refuses both for its other models, so only known names
 * count; `vendor/` before a name and `ft:` of a tuned model are ignored.
 */
export function isReasoningModel(name: string): boolean {
  const bare = name.slice(name.lastIndexOf('/') + 1).replace(/^ft:/, '');
  return REASONING.test(bare) && !CHAT.test(bare);
}
