import type { Question, Reply } from 'fake-provider';

/** Shows in its answers what the model was sent. */
export function script({ instruction, question, messages }: Question): Reply {
  if (instruction.startsWith('You condense')) return { say: 'A file cart.js was reviewed, and a message was written.' };
  if (question.startsWith('Review')) return { say: `I was sent: "${question.split('\n')[0]}"` };
  if (question.startsWith('Write')) return { say: `I was sent: "${question.replaceAll(/\s+/g, ' ')}"` };
  const before = messages.filter(({ role }) => role === 'user' || role === 'assistant').length - 1;
  return { say: `I was sent: "${question}", and know ${before} messages before it` };
}
