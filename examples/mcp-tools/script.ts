import type { Question, Reply } from 'fake-provider';

/** What the scripted model does: it reads with one server, and remembers with another. */
export function scriptFor(folder: string): (question: Question) => Reply {
  const steps: readonly Reply[] = [
    {
      say: 'I will read the prices. ',
      calls: [{ name: 'mcp__files__read_text_file', input: { path: `${folder}/prices.txt` } }],
    },
    {
      say: 'And remember them. ',
      calls: [
        {
          name: 'mcp__memory__create_entities',
          input: { entities: [{ name: 'lamp', entityType: 'price', observations: ['costs 20'] }] },
        },
      ],
    },
    { say: 'A lamp costs 20; I have made a note of it.' },
  ];
  return ({ turn }) => steps[turn] ?? steps.at(-1)!; // it is not empty
}
