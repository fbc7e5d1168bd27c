import { describe, expect, it } from 'vitest';
import { OutputItems, type TextKind, type WireEvent } from './output-items.ts';

const TEXT: TextKind = { item: 'message', list: 'content', part: 'output_text' };
const REFUSAL: TextKind = { ...TEXT, part: 'refusal' };
const delta = (fields: object): WireEvent => ({ type: 'response.output_text.delta', ...fields });
const message = (id: string) => ({ type: 'message', role: 'assistant', id });

function textsOf(items: OutputItems): unknown[] {
  return items.built().map((item) => item['content']);
}
const said = (text: string) => [{ type: 'output_text', annotations: [], text }];

describe('OutputItems', () => {
  it('gives the text of an event that comes again to a message that was begun in between', () => {
    const items = new OutputItems(() => undefined);
    const event = delta({ output_index: 0 });
    items.put({ output_index: 0 }, message('one'), false);
    items.add(event, TEXT, 'a');
    items.add(event, TEXT, 'b');
    items.put({ output_index: 0 }, { ...message('one'), status: 'completed' }, true);
    items.put({ output_index: 0 }, message('two'), false);
    items.add(event, TEXT, 'c');
    expect(textsOf(items)).toEqual([said('ab'), said('c')]);
  });

  it('gives it to the same message when another one was begun elsewhere', () => {
    const items = new OutputItems(() => undefined);
    const [first, second] = [delta({ output_index: 0 }), delta({ output_index: 1 })];
    for (const [event, text] of [
      [first, 'a'],
      [second, 'b'],
      [first, 'c'],
      [second, 'd'],
    ] as const) {
      items.add(event, TEXT, text);
    }
    expect(textsOf(items)).toEqual([said('ac'), said('bd')]);
  });

  it('gives it to the message that has its id, once one does', () => {
    const items = new OutputItems(() => undefined);
    const event = delta({ item_id: 'late', output_index: 0 });
    items.put({ output_index: 0 }, message('one'), false);
    items.add(event, TEXT, 'a');
    items.complete(delta({ item_id: 'late', output_index: 1 }), TEXT, 'b');
    items.add(event, TEXT, 'c');
    expect(textsOf(items)).toEqual([said('a'), said('bc')]);
  });

  it('keeps parts of one message apart', () => {
    const items = new OutputItems(() => undefined);
    const [first, second] = [delta({ content_index: 0 }), delta({ content_index: 1 })];
    items.add(first, TEXT, 'a');
    items.add(second, REFUSAL, 'no');
    items.add(first, TEXT, 'b');
    expect(textsOf(items)).toEqual([[...said('ab'), { type: 'refusal', refusal: 'no' }]]);
  });
});
