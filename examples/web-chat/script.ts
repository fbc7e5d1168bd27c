import type { Question, Reply } from 'fake-provider';

/** Looks at the stock, pays for what is missing, and says what came of it. */
export function script({ question, answers }: Question): Reply {
  if (!question.includes('lamp')) return { say: `You said: "${question}". Ask me to order lamps.` };
  if (answers.length === 0)
    return { say: 'I look at what we have first.', calls: [{ name: 'stock', input: { item: 'lamp' } }] };
  if (answers.length === 1)
    return {
      say: `We have ${answers[0]} That is not enough: I order twenty.`,
      calls: [{ name: 'pay', input: { supplier: 'Lumen', euros: 400 } }],
    };
  return { say: `Of the payment: ${answers[1]}` };
}
