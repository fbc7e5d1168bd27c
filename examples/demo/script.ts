import type { Question, Reply } from 'fake-provider';

const TESTS = 'node --test --test-reporter=spec';
const bash = (command: string) => ({ name: 'Bash', input: { command } });

/** What the scripted model says and does, one step a turn. */
const REPAIR: readonly Reply[] = [
  { say: 'I will run the tests first.', calls: [bash(TESTS)] },
  { say: 'One test fails. The sum is made in cart.js.', calls: [{ name: 'Read', input: { file_path: 'cart.js' } }] },
  {
    say: 'A line without a quantity makes the whole sum NaN; it should count once.',
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
  { say: 'Now the tests again.', calls: [bash(TESTS)] },
  {
    say: 'All of them pass. I commit the repair ...',
    calls: [bash('git commit -am "A line without a quantity counts once"')],
  },
  { say: '... and push it.', calls: [bash('git push origin main')] },
];
const pay = (invoice: string, cents: number) => ({ name: 'pay', input: { invoice, cents } });
const PAYMENTS: readonly Reply[] = [
  { say: 'I pay A1 first.', calls: [pay('A1', 12_000)] },
  { say: 'Then A2.', calls: [pay('A2', 24_000)] },
  { say: 'A2 is settled, so A3 is left.', calls: [pay('A3', 3_500)] },
  { say: 'A1, A2 and A3 are paid, each once.' },
];
const task = (subagent_type: string, prompt: string) => ({
  name: 'Task',
  input: { subagent_type, description: prompt.slice(0, 30), prompt },
});
const TASKS: Reply = {
  say: '',
  calls: [task('reviewer', 'Review cart.js.'), task('tester', 'What do the tests of cart.js leave out?')],
};
const REVIEWER: readonly Reply[] = [
  { say: 'I read the code from top to bottom.', calls: [{ name: 'Read', input: { file_path: 'cart.js' } }] },
  {
    say: 'total() is right now. Is anything else multiplied without a default?',
    calls: [{ name: 'Grep', input: { pattern: '\\*', path: 'cart.js', output_mode: 'count' } }],
  },
  { say: 'No. Rounding happens once, at the end, as it should. Nothing to change.' },
];
const TESTER: readonly Reply[] = [
  {
    say: 'I count the tests.',
    calls: [{ name: 'Grep', input: { pattern: '^test', path: 'cart.test.js', output_mode: 'count' } }],
  },
  { say: 'Three. What do they feed in?', calls: [{ name: 'Read', input: { file_path: 'cart.test.js' } }] },
  { say: 'An empty cart and a discount over 100 % are never tried. I would add both.' },
];
const CLEAN_UP: readonly Reply[] = [
  {
    say: 'Tests take up room, and || is shorter.',
    calls: [bash("sed -i 's/??/||/' cart.js; rm cart.test.js; mkdir old; mv package.json old")],
  },
  { say: 'Clean. Nothing is left that could fail.' },
];
/** Turns of the run that is measured. */
export const MEASURED_TURNS = 50;

/** Plays all agents of the demonstration, told apart by their instructions and by what they are asked. */
export function script({ instruction, question, turn, answers }: Question): Reply {
  if (instruction.includes('reviewer')) return at(REVIEWER, turn);
  if (instruction.includes('tester')) return at(TESTER, turn);
  if (question.includes('Clean')) return at(CLEAN_UP, turn);
  if (question.includes('invoices')) return at(PAYMENTS, turn);
  if (question.includes('Review'))
    return turn === 0 ? TASKS : { say: 'Both are done: the code is right, two tests are missing.' };
  if (question.includes('tick'))
    return turn < MEASURED_TURNS - 1 ? { say: '', calls: [{ name: 'tick', input: {} }] } : { say: 'Done.' };
  return (
    REPAIR[turn] ?? {
      say: isRefused(answers.at(-1)) ? 'Repaired and committed; you keep it here.' : 'Repaired, tested, pushed.',
    }
  );
}

function at(steps: readonly Reply[], turn: number): Reply {
  return steps[turn] ?? steps.at(-1)!; // none is empty
}

function isRefused(answer = ''): boolean {
  return answer.includes('not run');
}
