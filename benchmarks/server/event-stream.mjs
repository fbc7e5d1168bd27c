const MOST_SPACES = 15;

/** One server-sent event that is only data (OpenAI Chat Completions, Gemini). */
export function dataEvent(value) {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** One server-sent event named after its type (OpenAI Responses). */
export function namedEvent(value) {
  return `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
}

/** The same with spaces before the last brace, in a number that changes from event to event (Anthropic). */
export function paddedEvent(value, index) {
  const spaces = ' '.repeat((index * 7) % (MOST_SPACES + 1));
  return `event: ${value.type}\ndata: ${JSON.stringify(value).slice(0, -1)}${spaces}}\n\n`;
}
