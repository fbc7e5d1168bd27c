import type { Question, Reply } from 'fake-provider';

/** Asks where to send the goods, then pays two suppliers, and says what came of it. */
export function script({ answers }: Question): Reply {
  if (answers.length === 0) {
    return {
      say: 'I need to know one thing. ',
      calls: [{ name: 'AskUser', input: { question: 'Where do the lamps go?', choices: ['warehouse', 'shop'] } }],
    };
  }
  if (answers.length === 1) {
    return {
      say: 'I pay both. ',
      calls: [
        { name: 'pay', input: { supplier: 'Lumen', euros: 40 } },
        { name: 'pay', input: { supplier: 'Gilded Lights', euros: 4000 } },
      ],
    };
  }
  return { say: `Of the address: ${answers[0]} Of the bills: ${answers.slice(1).join(' ')}` };
}
