import type { Question, Reply } from 'fake-provider';

/** Tries to publish at once, whatever it is offered; says what came of it. */
export function script({ turn, answers }: Question): Reply {
  if (turn === 0) return { say: '', calls: [{ name: 'Read', input: { file_path: 'notes.md' } }] };
  if (turn === 1) return { say: '', calls: [{ name: 'publish', input: { text: 'The cart adds up.' } }] };
  const last = answers.at(-1) ?? '';
  return { say: last.startsWith('Published') ? 'It is published.' : 'I may not publish; an editor can.' };
}
