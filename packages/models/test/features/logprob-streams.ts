/** The text of the streams below, token by token, with two alternatives each. */
export const LOGPROBS = [
  { token: 'Hel', logprob: -0.1, top: [option('Hel', -0.1), option('Good', -2.5)] },
  { token: 'lo', logprob: -0.02, top: [option('lo', -0.02), option('p', -4)] },
];

function option(token: string, logprob: number) {
  return { token, logprob };
}

const openai = LOGPROBS.map(({ token, logprob, top }) => ({
  token,
  logprob,
  bytes: [...Buffer.from(token)],
  top_logprobs: top.map((one) => ({ ...one, bytes: null })),
}));

function chat(): string {
  const chunk = (delta: object, more: object = {}) => ({ id: 'c', choices: [{ index: 0, delta, ...more }] });
  const pieces = openai.map((one) =>
    chunk({ content: one.token }, { logprobs: { content: [one], refusal: null }, finish_reason: null }),
  );
  const begin = chunk({ role: 'assistant', content: '' }, { logprobs: null, finish_reason: null });
  return streamed([begin, ...pieces, chunk({}, { logprobs: null, finish_reason: 'stop' })], '[DONE]');
}

function responses(): string {
  const place = { item_id: 'm', output_index: 0, content_index: 0 };
  const deltas = openai.map((one, at) => {
    return { type: 'response.output_text.delta', sequence_number: at, ...place, delta: one.token, logprobs: [one] };
  });
  const part = { type: 'output_text', text: 'Hello', annotations: [], logprobs: openai };
  const item = { id: 'm', type: 'message', role: 'assistant', status: 'completed', content: [part] };
  const added = { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } };
  const done = { type: 'response.output_item.done', output_index: 0, item };
  const response = { id: 'r', status: 'completed', output: [item], usage: { input_tokens: 9, output_tokens: 2 } };
  return streamed([added, ...deltas, done, { type: 'response.completed', response }]);
}

function gemini(): string {
  const gem = ({ token, logprob }: { readonly token: string; readonly logprob: number }) => ({
    token,
    logProbability: logprob,
    tokenId: 7,
  });
  const chunks = LOGPROBS.map((one, at) => ({
    candidates: [
      {
        content: { role: 'model', parts: [{ text: one.token }] },
        logprobsResult: { chosenCandidates: [gem(one)], topCandidates: [{ candidates: one.top.map(gem) }] },
        ...(at === 1 ? { finishReason: 'STOP' } : {}),
      },
    ],
  }));
  return streamed(chunks);
}

function streamed(events: readonly object[], end?: string): string {
  const all = [...events.map((event) => JSON.stringify(event)), ...(end === undefined ? [] : [end])];
  return all.map((data) => `data: ${data}\n\n`).join('');
}

/** A reply of two tokens with their probabilities, by provider. */
export const LOGPROB_STREAMS: Readonly<Record<string, string>> = {
  chat: chat(),
  responses: responses(),
  'azure-openai': chat(),
  gemini: gemini(),
};
