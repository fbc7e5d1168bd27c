import type { Question, Reply } from 'fake-provider';

/** Plays three agents, told apart by their instructions. */
export function script({ instruction, turn, answers }: Question): Reply {
  if (instruction.includes('reader')) return READER[turn] ?? { say: 'The code adds up price times quantity.' };
  if (instruction.includes('counter')) return COUNTER[turn] ?? { say: 'There are 2 tests.' };
  if (turn === 0) return TASKS;
  return { say: `Both have answered. ${answers.join(' ')}` };
}

const task = (subagent_type: string, prompt: string) => ({
  name: 'Task',
  input: { subagent_type, description: prompt.slice(0, 30), prompt },
});
const TASKS: Reply = {
  say: 'I hand this out to two agents. ',
  calls: [task('reader', 'Read cart.js and say what it does.'), task('counter', 'Count the tests in cart.test.js.')],
};
const READER: readonly Reply[] = [{ say: '', calls: [{ name: 'Read', input: { file_path: 'cart.js' } }] }];
const COUNTER: readonly Reply[] = [
  { say: '', calls: [{ name: 'Grep', input: { pattern: '^test', path: 'cart.test.js', output_mode: 'count' } }] },
];
