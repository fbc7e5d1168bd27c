import { defineTool, objectSchema } from '@x/core';
import { describe, expect, it } from 'vitest';
import { followed, isRecord, lineOf } from '../support/followed.ts';
import { say, scriptedSession } from '../support/makers.ts';

describe('the state of a call', () => {
  it('is told live: asked about, begun, its output bit by bit; its decision and its result as records', async () => {
    const change = defineTool({
      name: 'change',
      description: 'Changes something.',
      inputSchema: objectSchema({}),
      async *execute() {
        yield 'bit';
        yield ' by bit';
      },
    });
    const { session } = await scriptedSession([{ toolCalls: [{ id: 'c', name: 'change' }] }, { text: 'Done.' }], {
      tools: [change],
      alwaysAsk: ['change'],
      canUseTool: async () => ({ behavior: 'allow' }),
    });

    const seen = await followed(session, () => say(session, 'Begin.'));

    const ofCall = seen.filter(({ callId }) => callId === 'c');
    expect(ofCall.map((one) => `${lineOf(one)}${isRecord(one) ? ' (record)' : ''}`)).toEqual([
      'permission c',
      'permission c (record)',
      'tool_started c (record)',
      'tool_progress c bit',
      'tool_progress c  by bit',
      'tool_result c (record)',
    ]);
    expect(ofCall.map(({ event }) => ('decision' in event ? event.decision : ''))).toEqual([
      'ask',
      'allow',
      '',
      '',
      '',
      '',
    ]);
    await session.close();
  });
});

describe('a compaction', () => {
  it('is told as a record, with its summary', async () => {
    const replies = [{ text: 'One.' }, { text: 'Two.' }, { text: 'The gist.' }];
    const { session } = await scriptedSession(replies);
    for (const text of ['First.', 'Second.']) await say(session, text);

    const seen = await followed(session, () => say(session, '/compact'));
    const events = session.events();
    const later = [];
    for await (const one of events) {
      later.push(one);
      if (one.event.type === 'compaction') break;
    }

    const told = later.at(-1);
    expect(told).toMatchObject({
      agentPath: [],
      event: { type: 'compaction', summary: expect.stringMatching(/The gist\.$/) as string },
    });
    expect(told?.event).not.toHaveProperty('createdAt');
    expect(seen.length).toBeGreaterThan(0);
    await session.close();
  });
});
