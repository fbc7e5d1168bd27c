import { defineTool, objectSchema, type RunContext } from '@x/core';
import type { Script } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { answerQuestion, memoryStore } from '../../src/index.ts';
import { approvalsIn, toUIMessageStream, type UIChunk } from '../../src/ui/index.ts';
import { agentsNamed, cast, task } from '../support/agent-scripts.ts';
import { echoTool, read, say, scriptedSession } from '../support/makers.ts';
import { linesOf, settled, shown } from '../support/shown-message.ts';
import { later, paying, payTool, waitingSession } from '../support/waiting.ts';

const script: Script = [
  { thinking: ['Hm', 'm.'], text: ['Let ', 'me see.'], toolCalls: [{ id: 'c', name: 'echo', input: { text: 'a' } }] },
  { text: ['Do', 'ne.'] },
];
const EXPECTED = [
  'step-start',
  'reasoning (done): Hmm.',
  'text (done): Let me see.',
  'echo (output-available): {"text":"a"} -> a',
  'step-start',
  'text (done): Done.',
];

describe('toUIMessageStream, read by the ai package', () => {
  it('is one message with the id of the run: live, and the same again from the log', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession(script, { store, tools: [echoTool()] });
    const live = shown(session, store);
    await settled();
    await say(session, 'Begin.');

    const [first, again] = [await live, await shown(session, store)];

    expect(linesOf(first.message)).toEqual(EXPECTED);
    expect(linesOf(again.message)).toEqual(EXPECTED);
    expect(again.message.id).toBe(first.message.id);
    expect(first.message.metadata).toMatchObject({
      sessionId: session.sessionId,
      cursor: expect.any(String),
      usage: { totalTokens: 30 },
      durationMs: expect.any(Number),
    });
    expect([first.failure, again.failure]).toEqual([undefined, undefined]);
  });

  it('is whole for a page that is loaded again in the middle of a text', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession(script, { store, tools: [echoTool()] });
    await session.send('Begin.');
    let reloaded: ReturnType<typeof shown> | undefined;
    for await (const event of session.stream()) {
      if (event.type !== 'content' || reloaded) continue;
      reloaded = shown(session, store);
      await settled();
    }

    expect(linesOf((await reloaded!).message)).toEqual(EXPECTED);
  });

  it('asks for approvals, and goes on in the same message with the answer that was given in it', async () => {
    const store = memoryStore();
    const { pay, paid } = payTool();
    const { session } = await scriptedSession(paying, { store, tools: [pay], canUseTool: later });
    await say(session, 'Pay.');
    await read(session); // still waits
    const { message } = await shown(session, store);
    const part = message.parts.find((one) => one.type === 'dynamic-tool')!;
    const before = linesOf(message).find((line) => line.startsWith('pay'));
    const { cursor: from } = message.metadata as { readonly cursor: string };
    const answered = { ...part, state: 'approval-responded', approval: { id: 'p1', approved: true } };

    for (const { callId, answer } of approvalsIn([...message.parts, answered]))
      await answerQuestion({ store, sessionId: session.sessionId, callId, answer });
    await read(session);
    const after = await shown(session, store, { message, from });

    expect(before).toBe('pay (approval-requested): {"amount":5} -> ');
    expect(paid).toEqual(['p1 5']);
    expect(after.message.id).toBe(message.id);
    expect(linesOf(after.message).filter((line) => !line.startsWith('data-') && line !== 'step-start')).toEqual([
      'pay (output-available): {"amount":5} -> Paid.',
      'text (done): Goodbye.',
    ]);
    const reloaded = await shown(session, store);
    expect(reloaded.message.id).toBe(message.id);
    expect(linesOf(reloaded.message).at(-1)).toBe('text (done): Goodbye.');
  });

  it('tells the run behind a cursor, also one that is still to come, and refuses what it cannot tell', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession([{ text: 'One.' }, { text: 'Two.' }], { store });
    const coming = shown(session, store);
    await settled();
    await say(session, 'First.');
    const first = await coming;
    const { cursor: from } = first.message.metadata as { readonly cursor: string };
    const next = shown(session, store, { from });
    await say(session, 'Second.');

    expect(linesOf(first.message).at(-1)).toBe('text (done): One.');
    expect(linesOf((await next).message).at(-1)).toBe('text (done): Two.');
    expect(linesOf((await shown(session, store)).message).at(-1)).toBe('text (done): Two.');
    const gone = toUIMessageStream({ store, sessionId: 'gone' }).getReader();
    await expect(gone.read()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    const foreign = toUIMessageStream({ store, sessionId: session.sessionId, from: '1.00000000' }).getReader();
    await expect(foreign.read()).rejects.toMatchObject({ code: 'INVALID_CURSOR' });
  });

  it('tells the run that takes a message: before it has begun, while it waits behind another, and long after', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }], { store });
    await session.send('First.');
    let waits: string | undefined;
    let reading: ReturnType<typeof shown> | undefined;
    for await (const { type } of session.stream()) {
      if (type !== 'content' || waits) continue;
      waits = (await session.send('Second.', { priority: 'later' })).messageId;
      reading = shown(session, store, { messageId: waits });
    }
    await read(session);
    const { messageId } = await session.send('Third.');
    const toCome = shown(session, store, { messageId });
    await settled();
    await read(session);
    const longAfter = shown(session, store, { messageId: waits! });

    const found = await Promise.all([reading!, toCome, longAfter]);
    expect(found.map(({ message }) => linesOf(message).at(-1))).toEqual([
      'text (done): Two.',
      'text (done): Three.',
      'text (done): Two.',
    ]);
  });

  it('tells the run that waits for an answer, when the message has to wait behind it', async () => {
    const { session, store } = await waitingSession();
    const { messageId } = await session.send('And then?');

    const { message } = await shown(session, store, { messageId });

    expect(linesOf(message)).toContain('pay (approval-requested): {"amount":5} -> ');
  });

  it('takes a refusal with its reason, and leaves everything else in a message alone', () => {
    const part = (approval: unknown, state = 'approval-responded') => ({ type: 'dynamic-tool', state, approval });

    expect(
      approvalsIn([
        { type: 'text', text: 'x' },
        part({ id: 'a', approved: false, reason: 'No.' }),
        part({ id: 'b', approved: 'true' }),
        part({ id: 'c', approved: true }),
        part({ id: 'd', approved: true }, 'approval-requested'),
        part({ approved: true }),
        part(undefined),
      ]),
    ).toEqual([
      { callId: 'a', answer: { behavior: 'deny', message: 'No.' } },
      { callId: 'b', answer: { behavior: 'deny' } },
      { callId: 'c', answer: { behavior: 'allow' } },
    ]);
  });

  it.each<[unknown]>([['x'], [{}], [[null]], [['x']], [undefined]])(
    'refuses %j for the parts of a message, which a browser may send',
    (parts) => {
      expect(() => approvalsIn(parts as [])).toThrow(
        expect.objectContaining({ code: 'VALIDATION_ERROR', field: 'parts' }),
      );
    },
  );

  it('tells what a tool says as it goes, an error of a tool, and a run that fails', async () => {
    const store = memoryStore();
    const change = defineTool({
      name: 'change',
      description: 'Changes something.',
      inputSchema: objectSchema({}),
      async *execute() {
        yield 'bit';
        yield ' by bit';
        throw new Error('broken');
      },
    });
    const replies = [{ toolCalls: [{ id: 'c', name: 'change' }] }, { error: new Error('The line is down') }];
    const { session } = await scriptedSession(replies, { store, tools: [change], retryBudgetMs: 0 });
    const chunks: UIChunk[] = [];
    const reading = (async () => {
      for await (const chunk of toUIMessageStream({ store, sessionId: session.sessionId })) chunks.push(chunk);
    })();
    await settled();
    await say(session, 'Begin.');
    await reading;

    const { message, failure } = await shown(session, store);

    const outputs = chunks.flatMap((chunk) => (chunk.type === 'tool-output-available' ? [chunk.output] : []));
    expect(outputs).toEqual(['bit', 'bit by bit']);
    expect(linesOf(message)).toEqual(['step-start', 'change (output-error): {} -> broken']);
    expect(String(failure)).toContain('The line is down');
    // `useChat` stops at the error: the metadata, with the cursor, have to come first.
    expect(chunks.slice(-2)).toMatchObject([{ type: 'finish', finishReason: 'error' }, { type: 'error' }]);
  });

  it('tells how a run has ended, also one that was aborted or has used up its turns', async () => {
    const ends: unknown[] = [];
    for (const act of ['abort', 'max_turns'] as const) {
      const store = memoryStore();
      const replies = act === 'abort' ? [{ text: 'I think', hangs: true }] : [script, script].flat();
      const { session } = await scriptedSession(replies, { store, tools: [echoTool()], maxTurns: 1 });
      await session.send('Begin.');
      for await (const { type } of session.stream()) if (act === 'abort' && type === 'content') session.abort();
      const chunks = await Array.fromAsync(toUIMessageStream({ store, sessionId: session.sessionId }));
      ends.push(chunks.slice(-3).map((one) => (one.type === 'finish' ? one.finishReason : one.type)));
    }

    expect(ends).toEqual([
      ['finish-step', 'other', 'abort'],
      ['tool-output-available', 'finish-step', 'length'],
    ]);
  });

  it('asks what the model asks the user as data, and carries notices without keeping them', async () => {
    const store = memoryStore();
    const input = { question: 'Which?', choices: ['a', 'b'] };
    const notifies = { name: 'notifies', beforeAgent: (_: unknown, run: RunContext) => run.emit(notice) };
    const notice = { type: 'notification', kind: 'odd', message: 'Something odd.' } as const;
    const { session } = await scriptedSession(
      [{ toolCalls: [{ id: 'q', name: 'AskUser', input }] }, { text: 'Done.' }],
      {
        store,
        askUser: true,
        allowedTools: ['AskUser'],
        handlers: [notifies],
      },
    );
    const live = Array.fromAsync(toUIMessageStream({ store, sessionId: session.sessionId }));
    await settled();
    await say(session, 'Begin.');
    const chunks = await live;
    const { cursor: from } = (chunks.at(-1) as Extract<UIChunk, { type: 'finish' }>).messageMetadata;
    await session.answer('q', { choices: ['a'] });
    await read(session);
    const rest = await Array.fromAsync(toUIMessageStream({ store, sessionId: session.sessionId, from }));

    const data = chunks.filter(({ type }) => type.startsWith('data-'));
    expect(data).toMatchObject([
      { type: 'data-notification', data: { kind: 'odd' }, transient: true },
      { type: 'data-question', id: 'q', data: { kind: 'ask_user', input, callId: 'q' } },
    ]);
    expect(chunks.filter(({ type }) => type === 'tool-approval-request')).toEqual([]);
    expect(rest.find(({ type }) => type === 'tool-output-available')).toMatchObject({ output: 'The user chose: a' });
    expect(rest.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
  });

  it('has nothing of subagents but the result of their task, and ends with the run', async () => {
    const store = memoryStore();
    const parts = cast({
      main: [{ toolCalls: [task('helper', 't')] }, { text: 'Done.' }],
      helper: [{ text: 'Inside.' }],
    });
    const { session } = await scriptedSession(parts, { store, agents: agentsNamed('helper'), allowedTools: ['Task'] });
    await say(session, 'Begin.');

    const lines = linesOf((await shown(session, store)).message);

    expect(lines.filter((line) => line.includes('Inside.'))).toEqual([
      expect.stringMatching(/^Task \(output-available\)/),
    ]);
    expect(lines.at(-1)).toBe('text (done): Done.');
  });

  it('leaves the run alone when it is cancelled', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession(script, { store, tools: [echoTool()] });
    await session.send('Begin.');
    let cancelled = false;
    const reader = toUIMessageStream({ store, sessionId: session.sessionId }).getReader();
    const first = reader.read();
    await settled();
    const types: string[] = [];
    for await (const { type } of session.stream()) {
      types.push(type);
      if (cancelled || type !== 'content') continue;
      cancelled = true;
      await first;
      await reader.cancel();
    }

    expect(types.at(-1)).toBe('result');
  });
});
