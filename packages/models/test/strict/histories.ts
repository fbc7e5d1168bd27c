import { fc } from '@fast-check/vitest';
import type { AssistantMessage, Message, ToolMessage, UserMessage } from '@x/core';
import { toolMessage } from '@x/core/internal';

type Block = AssistantMessage['content'][number];
type Maker = Pick<AssistantMessage, 'provider' | 'model'>;

const base = fc.record({ id: fc.uuid(), createdAt: fc.constant('2026-11-27T00:00:00.000Z') });
const text = fc.constantFrom('', ' ', 'Hm.', 'So it is. ', '\ud83d', '{"a":1}');
const image = fc.constant({ type: 'image' as const, mediaType: 'image/png', data: 'aGk=' });
const textBlock = fc.record({ type: fc.constant('text' as const), text });
const user: fc.Arbitrary<UserMessage> = fc
  .tuple(base, fc.array(fc.oneof(textBlock, image), { maxLength: 2 }))
  .map(([facts, content]) => ({ ...facts, role: 'user', content }));

/** What an adapter keeps with a thought, by provider and API. */
const seals = {
  chat: { field: 'reasoning_content' },
  anthropic: { signature: 'seal' },
  responses: {
    api: 'responses',
    list: 'summary',
    item: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'ours' },
    part: { type: 'summary_text', text: '' },
  },
};
const kept = fc.constantFrom(
  undefined,
  { provider: 'openai-compatible', data: seals.chat },
  { provider: 'openai-compatible', data: seals.responses },
  { provider: 'anthropic', data: seals.anthropic },
);
const thinking = fc
  .tuple(text, kept)
  .map(([said, providerData]): Block => ({ type: 'thinking', text: said, ...(providerData ? { providerData } : {}) }));
const call = fc
  .record({
    type: fc.constant('tool_use' as const),
    id: fc.oneof(fc.uuid(), fc.constantFrom('functions.look:0', 'x'.repeat(70))),
    name: fc.constantFrom('look', 'no such tool', ''),
    input: fc.constantFrom({}, '{"half', null),
  })
  .map((block): Block => block);

/** A search among deferred tools, as each of the two services that have one shows it. */
const step = (provider: string, data: object, serviceTool: object) =>
  ({ type: 'thinking', text: '', serviceTool, providerData: { provider, data } }) as Block; // safe: as adapters make them
const found = { name: 'tool_search', state: 'done', found: ['hidden'] };
const search = { type: 'server_tool_use', id: 's', name: 'tool_search_tool_bm25', input: {} };
const references = { type: 'tool_search_tool_search_result', tool_references: [{ tool_name: 'hidden' }] };
const searched: fc.Arbitrary<readonly Block[]> = fc.constantFrom(
  [],
  [
    step('anthropic', { block: search }, { name: 'tool_search', state: 'called' }),
    step('anthropic', { block: { type: 'tool_search_tool_result', tool_use_id: 's', content: references } }, found),
  ],
  [
    step(
      'openai-compatible',
      { api: 'responses', item: { type: 'tool_search_call' } },
      { name: 'tool_search', state: 'called' },
    ),
    step('openai-compatible', { api: 'responses', item: { type: 'tool_search_output', tools: [] } }, found),
  ],
  // and a picture that one of them has drawn
  [
    step(
      'openai-compatible',
      { api: 'responses', item: { type: 'image_generation_call', id: 'ig', result: '', status: 'completed' } },
      { name: 'image_generation', state: 'done' },
    ),
    {
      type: 'image',
      mediaType: 'image/png',
      data: 'aGk=',
      providerData: { provider: 'openai-compatible', data: { api: 'responses', isResult: true } },
    },
  ],
);

/** A reply, its results when it calls, and sometimes what was said in between. */
const turn = (makers: readonly Maker[]): fc.Arbitrary<readonly Message[]> =>
  fc
    .tuple(
      base,
      fc.constantFrom(...makers),
      fc.uniqueArray(fc.oneof(textBlock, thinking, call, image), {
        maxLength: 4,
        selector: (block) => (block.type === 'tool_use' ? block.id : block),
      }),
      fc.boolean(),
      user,
      fc.array(user, { maxLength: 2 }),
      searched,
    )
    .map(([facts, maker, said, isShown, next, steered, searches]) => {
      const content = [...searches, ...said];
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
      const reply: AssistantMessage = { ...facts, ...maker, role: 'assistant', content, usage, stopReason: 'end' };
      const calls = content.filter(({ type }) => type === 'tool_use');
      return calls.length === 0
        ? [reply, next, ...steered]
        : [reply, resultsOf(reply, calls.length, isShown), ...steered];
    });

function resultsOf(reply: AssistantMessage, calls: number, isShown: boolean): ToolMessage {
  const images = [{ type: 'image' as const, mediaType: 'image/png', data: 'aGk=' }];
  const answers = Array.from({ length: calls }, () => ({
    output: '',
    isError: isShown,
    ...(isShown ? { images } : {}),
  }));
  return toolMessage(reply, answers);
}

/** Histories as a session makes them: of this model, of another one, and of other providers; a user has the first word and the last. */
export function histories(own: Maker): fc.Arbitrary<readonly Message[]> {
  const makers = [own, own, { ...own, model: 'another' }, { provider: 'anthropic', model: 'claude-sonnet-4-5' }];
  return fc
    .tuple(user, fc.array(turn(makers), { maxLength: 5 }), user)
    .map(([first, turns, last]) => [first, ...turns.flat(), last]);
}
