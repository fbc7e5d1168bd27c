import { type AgentEvent, defineTool, type ModelRequest, type ModelStream, objectSchema } from '@x/core';
import { type Script, scriptedModel } from '@x/core/testing';
import { describe, expect, it, vi } from 'vitest';
import { type CustomProvider, createSession, memoryStore, type SessionEvent } from '../../src/index.ts';
import { followed, isRecord, lineOf, untilResult } from '../support/followed.ts';
import { echoTool, say, scriptedSession, toolNamed } from '../support/makers.ts';

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
      'tool_input_start c',
      'tool_input_delta c {}',
      'permission c',
      'permission c (record)',
      'tool_started c (record)',
      'tool_progress c bit',
      'tool_progress c  by bit',
      'tool_result c (record)',
    ]);
    expect(ofCall.map(({ event }) => ('decision' in event ? event.decision : ''))).toEqual([
      '',
      '',
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

  it.each(['/compact', 'a full window'])('is told while its summary is still being written: %s', async (cause) => {
    const events: SessionEvent[] = [];
    const count = (type: string) =>
      events.filter(({ event }) => (event.type === 'notification' ? event.kind : event.type) === type).length;
    let compactionsBefore: number | undefined;
    const usage = { inputTokens: cause === '/compact' ? 10 : 120_000, outputTokens: 5 };
    const model = scriptedModel(({ instruction }) => ({
      text: instruction.startsWith('You condense') ? 'The gist.' : 'Yes.',
      usage,
    }));
    async function* stream(request: ModelRequest): ModelStream {
      if (request.instruction.startsWith('You condense')) {
        await vi.waitUntil(() => count('compaction_started') === 1, { timeout: 45_000 });
        compactionsBefore = count('compaction');
      }
      return yield* model.stream(request);
    }
    const provider: CustomProvider = { type: 'custom', createModel: () => ({ ...model, stream }) };
    const session = await createSession({ provider, model: 'scripted', store: memoryStore() });
    const reading = untilResult(watched(session.events(), events), 3);

    for (const text of ['First.', 'Second.', cause]) await say(session, text);
    await reading;

    expect(compactionsBefore).toBe(0);
    expect(count('compaction_started')).toBe(1);
    expect(count('compaction')).toBe(1);
    await session.close();
  });
});

describe('the compaction of a subagent', () => {
  it('is told with its path before its summary is written', async () => {
    const seen: SessionEvent[] = [];
    const begins = () =>
      seen.filter(({ event }) => event.type === 'notification' && event.kind === 'compaction_started');
    const task = (id: string, subagent_type: string) => ({
      toolCalls: [{ id, name: 'Task', input: { subagent_type, description: 'Look.', prompt: 'Look around.' } }],
    });
    const echo = (id: string) => ({ toolCalls: [{ id, name: 'echo', input: { text: LONG } }] });
    let innerTurns = 0;
    const model = scriptedModel(({ instruction, messages }) => {
      const turn = messages.filter(({ role }) => role === 'assistant').length;
      if (instruction.startsWith('You condense')) return { text: 'The gist.' };
      if (instruction.includes('inner agent')) {
        const reply = innerTurns < 3 ? echo(`i${innerTurns}`) : { text: 'Seen.' };
        return { ...reply, usage: { inputTokens: INPUT_TOKENS[innerTurns++]!, outputTokens: 5 } };
      }
      if (instruction.includes('outer agent')) return turn === 0 ? task('inner-call', 'inner') : { text: 'Passed on.' };
      return turn === 0 ? task('outer-call', 'outer') : { text: 'Done.' };
    });
    async function* stream(request: ModelRequest): ModelStream {
      if (request.instruction.startsWith('You condense'))
        await vi.waitUntil(() => begins().length === 1, { timeout: 45_000 });
      return yield* model.stream(request);
    }
    const provider: CustomProvider = { type: 'custom', createModel: () => ({ ...model, stream }) };
    const agents = [
      { name: 'outer', description: 'Passes on.', systemPrompt: 'You are the outer agent.' },
      { name: 'inner', description: 'Looks.', systemPrompt: 'You are the inner agent.' },
    ];
    const session = await createSession({
      provider,
      model: 'scripted',
      store: memoryStore(),
      agents,
      tools: [echoTool()],
      allowedTools: ['echo', 'Task'],
    });
    const reading = untilResult(watched(session.events(), seen), 1);

    await say(session, 'Begin.');
    await reading;

    expect(begins().map(({ agentPath }) => agentPath)).toEqual([['outer-call', 'inner-call']]);
    await session.close();
  });
});
/** Of the turns of a subagent: its window is full once. */
const INPUT_TOKENS = [10, 120_000, 10, 10];
const LONG = 'word '.repeat(20_000);

async function* watched(events: AsyncGenerator<SessionEvent, void, void>, seen: SessionEvent[]) {
  for await (const event of events) {
    seen.push(event);
    yield event;
  }
}

describe('what an interface needs', () => {
  const script: Script = [
    { text: ['Let ', 'me see.'], toolCalls: [{ id: 'c', name: 'echo', input: { text: 'a' } }] },
    { text: ['Do', 'ne.'] },
  ];

  it('is told where a session and each text begin and end, under the id of the message, and the input of a call', async () => {
    const { session } = await scriptedSession(script, { tools: [echoTool()], permissionMode: 'acceptEdits' });

    const seen = await followed(session, () => say(session, 'Begin.'));

    const of = (type: string) => seen.filter(({ event }) => event.type === type);
    const [first, second] = of('message').map(({ event }) => (event.type === 'message' ? event.message.id : ''));
    expect(of('session_started').map(({ event }) => event)).toEqual([
      {
        type: 'session_started',
        tools: expect.any(Array),
        model: 'scripted',
        permissionMode: 'acceptEdits',
        cwd: process.cwd(),
      },
    ]);
    const parts = seen.filter(({ event }) => /^(text|content|tool_input|message$)/.test(event.type));
    expect(parts.map(({ event, messageId }) => [event.type, messageId])).toEqual([
      ['text_start', first],
      ['content', first],
      ['content', first],
      ['text_end', first],
      ['tool_input_start', first],
      ['tool_input_delta', first],
      ['message', first],
      ['text_start', second],
      ['content', second],
      ['content', second],
      ['text_end', second],
      ['message', second],
    ]);
    expect(of('tool_input_delta').map(({ event }) => ('delta' in event ? event.delta : ''))).toEqual(['{"text":"a"}']);
    await session.close();
  });

  it('is made only while somebody follows', async () => {
    const told: string[] = [];
    const handler = { name: 'watches', onEvent: ({ type }: AgentEvent) => void told.push(type) };
    const { session, model } = await scriptedSession(script, { tools: [echoTool()], handlers: [handler] });

    await say(session, 'Begin.');

    expect(told.filter((type) => /^(session_started|reply_started|tool_input)/.test(type))).toEqual([]);
    expect(model.requests.filter(({ replyId, tellsToolInput }) => replyId !== undefined || tellsToolInput)).toEqual([]);
    await session.close();
  });

  it('ends a text that was cut off, and tells the seconds that a call has run', async () => {
    const long = Promise.withResolvers<string>();
    const wait = toolNamed('wait', () => long.promise);
    const replies = [{ toolCalls: [{ id: 'w', name: 'wait' }] }, { text: 'I think', hangs: true }];
    const { session } = await scriptedSession(replies, { tools: [wait] });
    const seconds: number[] = [];
    const watching = (async () => {
      for await (const { event } of session.events()) {
        if (event.type === 'tool_running') seconds.push(event.seconds);
        if (seconds.length === 2) break;
      }
      long.resolve('waited');
    })();

    const seen = await followed(session, async () => {
      await session.send('Begin.');
      for await (const event of session.stream()) if (event.type === 'content') session.abort();
    });
    await watching;

    expect(seconds[0]).toBeGreaterThanOrEqual(1);
    expect(seconds[1]).toBeGreaterThan(seconds[0]!);
    const edges = seen.flatMap(({ event }) =>
      event.type === 'text_start' || event.type === 'text_end' ? [event] : [],
    );
    expect(edges.map(({ type }) => type)).toEqual(['text_start', 'text_end']);
    expect(new Set(edges.map(({ id }) => id)).size).toBe(1);
    const [result] = seen.flatMap(({ event }) => (event.type === 'tool_result' ? [event] : []));
    expect(result?.durationMs).toBeGreaterThan(1_900);
    await session.close();
  });

  it('is told the duration and the cost of a run, by whoever reads the record', async () => {
    const prices = { scripted: { input: 1_000_000, output: 0 } };
    const { session } = await scriptedSession([{ text: 'Hi.' }], { prices });

    const live = (await followed(session, () => say(session, 'Begin.'))).at(-1)?.event;

    expect(live).toMatchObject({
      type: 'result',
      cost: 10,
      durationMs: expect.any(Number),
      turns: 1,
      model: 'scripted',
    });
    await session.close();
  });
});
