/** One server-sent event that is only data (OpenAI Chat Completions, Gemini). */
export function dataEvent(value) {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** One server-sent event named after its type (OpenAI Responses, Anthropic). */
export function namedEvent(value) {
  return `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
}
