const TEXT = 'Lorem ipsum dolor sit amet, consetetur sadipscing elitr. ';
const CHARACTERS = 1700;

/** The message of this number: about 2 kB of JSON, users and assistants in turn. */
export function messageOf(number) {
  const text = `${number} ${TEXT.repeat(CHARACTERS / TEXT.length + 1)}`.slice(0, CHARACTERS);
  const facts = { id: idOf(number), createdAt: new Date(1_700_000_000_000 + number).toISOString() };
  const content = [{ type: 'text', text }];
  if (number % 2 === 0) return { ...facts, role: 'user', content };
  const usage = { inputTokens: 100, outputTokens: 20, totalTokens: 120 };
  return { ...facts, role: 'assistant', content, provider: 'none', model: 'none', usage, stopReason: 'end' };
}

/** The same as an entry of a session's log. */
export function entryOf(number) {
  return { type: 'record', scope: [], record: { type: 'message', message: messageOf(number) } };
}

function idOf(number) {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}
