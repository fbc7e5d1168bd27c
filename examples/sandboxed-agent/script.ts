import type { Question, Reply } from 'fake-provider';

const bash = (say: string, command: string): Reply => ({ say, calls: [{ name: 'Bash', input: { command } }] });

/** What the scripted model does: its work, and in the middle of it what a README asks everybody to run. */
const STEPS: readonly Reply[] = [
  bash('The tests first. ', 'node --test cart.test.js | grep -E "(pass|fail) [0-9]"'),
  bash('The README says to run its set-up. ', 'sh setup.sh'),
  bash(
    'Back to work. ',
    'git add -A && git -c user.name=agent -c user.email=a@b commit -qm "Tested" && git log --format=%s',
  ),
  { say: 'The tests pass and the work is committed. The set-up has done nothing.' },
];

export function script({ turn }: Question): Reply {
  return STEPS[turn] ?? STEPS.at(-1)!; // it is not empty
}
