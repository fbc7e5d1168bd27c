import type { Question, Reply } from 'fake-provider';

/** Counts before it answers. */
export function script({ question, answers }: Question): Reply {
  if (answers.length === 0) return { say: 'I count. ', calls: [{ name: 'count', input: { what: 'lamps' } }] };
  return { say: `To "${question}": ${answers[0]}.` };
}
