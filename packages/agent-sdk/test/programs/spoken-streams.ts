/** A stream that says `text`, in the format of the service that is asked at `path`. */
export function streamFor(path: string, text: string): string {
  if (path.endsWith('/v1/messages')) return named(messageEvents(text));
  if (path.includes(':streamGenerateContent')) return plain([candidate(text)]);
  if (path.endsWith('/responses')) return named([completed(text)]);
  return `${plain(chunks(text))}data: [DONE]\n\n`;
}

const plain = (events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const named = (events: readonly { readonly type: string }[]) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

function chunks(content: string): readonly object[] {
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o-mini' };
  return [
    { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content } }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { ...chunk, choices: [], usage: { prompt_tokens: 12, completion_tokens: 4, total_tokens: 16 } },
  ];
}

function messageEvents(text: string) {
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'claude', content: [], stop_reason: null };
  return [
    { type: 'message_start', message: { ...message, usage: { input_tokens: 12, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 4 } },
    { type: 'message_stop' },
  ];
}

function candidate(text: string): object {
  return {
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 4, totalTokenCount: 16 },
  };
}

function completed(text: string) {
  const item = {
    id: 'i',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
  const usage = { input_tokens: 12, output_tokens: 4, total_tokens: 16 };
  return { type: 'response.completed', response: { id: 'r', status: 'completed', output: [item], usage } };
}
