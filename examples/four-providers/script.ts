import type { Question, Reply } from 'fake-provider';

/** Plays every model: it looks into the stock, says what it was told, and remembers what it was shown. */
export function script({ question, turn, answers, messages }: Question): Reply {
  if (question.includes('What did I ask')) return { say: `You asked: "${firstQuestion(messages)}"` };
  if (turn === 0) {
    return { think: 'The stock will tell.', say: '', calls: [{ name: 'stock', input: { item: 'lamp' } }] };
  }
  return { say: `We have ${answers.join(', ')}.` };
}

/** Answers from the conversation that it was sent, not from the script. */
function firstQuestion(messages: Question['messages']): string {
  const { content } = messages.find(({ role }) => role === 'user') ?? {};
  return typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('');
}
