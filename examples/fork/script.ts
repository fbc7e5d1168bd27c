import type { Question, Reply } from 'fake-provider';

const NAMES = ['Leaf & Kettle', 'Tea-rannosaurus'];

/** Thinks of names, looks up whether they are taken, and remembers what this conversation has said. */
export function script({ question, answers, messages }: Question): Reply {
  if (question.startsWith('Which')) return { say: `In this conversation: ${namesIn(messages).join(', ')}.` };
  const name = NAMES[question.includes('funny') ? 1 : 0] ?? '';
  if (answers.length === 0) return { say: `What about ${name}? `, calls: [{ name: 'is_taken', input: { name } }] };
  return { say: answers[0] === 'no' ? `${name} is free.` : `${name} is taken.` };
}

function namesIn(messages: Question['messages']): string[] {
  const said = messages.filter(({ role }) => role === 'assistant').map(({ content }) => JSON.stringify(content));
  return NAMES.filter((name) => said.some((text) => text.includes(name)));
}
