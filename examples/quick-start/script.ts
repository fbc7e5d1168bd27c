import type { Question, Reply } from 'fake-provider';

/** What the scripted model says and does, one step a turn. */
const REPAIR: readonly Reply[] = [
  {
    say: 'I will run the tests first. ',
    calls: [{ name: 'Bash', input: { command: 'node --test', description: 'Run the tests' } }],
  },
  {
    say: 'One test fails: a line without a quantity. ',
    calls: [{ name: 'Grep', input: { pattern: 'quantity', output_mode: 'content' } }],
  },
  { say: 'The sum is made in cart.js. ', calls: [{ name: 'Read', input: { file_path: 'cart.js' } }] },
  {
    say: 'A missing quantity gives NaN; it should count once. ',
    calls: [
      {
        name: 'Edit',
        input: {
          file_path: 'cart.js',
          old_string: 'line.price * line.quantity',
          new_string: 'line.price * (line.quantity ?? 1)',
        },
      },
    ],
  },
  {
    say: 'Now the tests again. ',
    calls: [{ name: 'Bash', input: { command: 'node --test', description: 'Run the tests' } }],
  },
  { say: 'All tests pass. In cart.js a line without a quantity made the sum NaN; now it counts once.' },
];

/** The script of the stand-in: it repairs, and answers from what it has done. */
export function script({ question, turn, messages }: Question): Reply {
  if (question.includes('Which file')) return { say: remembered(messages) };
  return REPAIR[turn] ?? REPAIR.at(-1)!; // it is not empty
}

/** Answers from the conversation that the resumed session sent along, not from the script. */
function remembered(messages: Question['messages']): string {
  const edit = messages.flatMap(({ tool_calls }) => tool_calls ?? []).find((call) => call.function.name === 'Edit');
  if (!edit) return 'I do not remember: the conversation holds no edit.';
  const { file_path, old_string, new_string } = JSON.parse(edit.function.arguments) as Record<string, string>;
  return `I changed ${file_path}: \`${old_string}\` is now \`${new_string}\`, because a line without a quantity made the sum NaN.`;
}
