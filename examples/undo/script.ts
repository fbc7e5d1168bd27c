import type { Question, Reply } from 'fake-provider';

/** What the scripted model does: a tidying that goes too far. */
const STEPS: readonly Reply[] = [
  {
    say: 'I will tidy up. ',
    calls: [
      { name: 'Bash', input: { command: "rm -r docs && sed -i 's/0.2/0.3/' prices.json && mv cart.js basket.js" } },
    ],
  },
  {
    say: 'And a note about it. ',
    calls: [{ name: 'Write', input: { file_path: 'NOTES.md', content: 'Tidied up.\n' } }],
  },
  { say: 'All is tidy now.' },
];

export function script({ turn }: Question): Reply {
  return STEPS[turn] ?? STEPS.at(-1)!; // it is not empty
}
