import type { Question, Reply } from 'fake-provider';

/** A help desk: it looks every order up before it answers. */
export function script({ question, answers }: Question): Reply {
  const order = /\d+/.exec(question)?.[0];
  if (!order) return { say: 'You are welcome.' };
  if (answers.length === 0) return { say: 'I look. ', calls: [{ name: 'look_up', input: { order } }] };
  return { say: `Order ${order} is ${answers[0]}.` };
}
