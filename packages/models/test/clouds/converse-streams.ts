import type { ContractStreams } from '@x/models/testing';

const sse = (events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const begin = { messageStart: { role: 'assistant' } };
const text = (delta: string, contentBlockIndex = 0) => ({
  contentBlockDelta: { contentBlockIndex, delta: { text: delta } },
});
const thought = (reasoningContent: object) => ({
  contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent } },
});
const stop = (contentBlockIndex = 0) => ({ contentBlockStop: { contentBlockIndex } });
const end = (stopReason: string, more: object = {}) => [
  { messageStop: { stopReason } },
  {
    metadata: { usage: { inputTokens: 11, outputTokens: 7, totalTokens: 18, ...more }, metrics: { latencyMs: 1 } },
  },
];
const call = (name: string, pieces: readonly string[], at = 0) => [
  {
    contentBlockStart: { contentBlockIndex: at, start: { toolUse: { toolUseId: `tooluse_${name}_${at}`, name } } },
  },
  ...pieces.map((input) => ({ contentBlockDelta: { contentBlockIndex: at, delta: { toolUse: { input } } } })),
  stop(at),
];

/** Replies of Converse, each event as JSON (docs.aws.amazon.com, "ConverseStream", and what recorded replies have). */
export const CONVERSE_STREAMS: ContractStreams = {
  text: sse([begin, text('Good '), text('morning '), text('to you.'), stop(), ...end('end_turn')]),
  call: sse([begin, ...call('echo', ['{"te', 'xt":"a', 'b"}']), ...end('tool_use')]),
  parallelCalls: sse([
    begin,
    text('Both.'),
    stop(),
    ...call('echo', ['{"text":"a"}'], 1),
    ...call('echo', ['{"text":', '"b"}'], 2),
    ...end('tool_use'),
  ]),
  length: sse([begin, text('cut '), text('here'), stop(), ...end('max_tokens')]),
  refusal: sse([begin, text('No.'), stop(), ...end('guardrail_intervened')]),
  thinking: sse([
    begin,
    thought({ text: 'Let me ' }),
    thought({ text: 'think.' }),
    thought({ signature: 'c2ln' }),
    stop(),
    text('So be it.', 1),
    stop(1),
    ...end('end_turn'),
  ]),
  callWithoutArguments: sse([begin, ...call('now', ['']), ...end('tool_use')]),
  errorInStream: sse([begin, text('So '), { modelStreamErrorException: { message: 'the model has failed' } }]),
  cacheUsage: sse([
    begin,
    text('Good '),
    text('morning.'),
    stop(),
    ...end('end_turn', { cacheReadInputTokens: 5, cacheWriteInputTokens: 3 }),
  ]),
  structured: sse([begin, ...call('answer', ['{"city":', '"Oslo"}']), ...end('tool_use')]),
};
