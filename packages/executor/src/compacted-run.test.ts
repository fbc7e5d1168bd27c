import {
  AgentError,
  type AgentEvent,
  type Message,
  type ModelRequest,
  type ToolResult,
  textOf,
  toolUsesOf,
  type UserMessage,
} from '@x/core';
import { compacted, toolMessage } from '@x/core/internal';
import { collect, type ScriptedReply, scriptedModel } from '@x/core/testing';
import { compactionHandler } from '@x/handlers';
import { describe, expect, it } from 'vitest';
import { calls, inboxOf, linesOf, type RunParts, recordsOf, runOptions, toolNamed } from '../test/run-options.ts';
import type { MemoryJournal } from './index.ts';
import { runAgent } from './run-agent.ts';

const window = 1_000;
const isSummary = ({ instruction }: ModelRequest) => instruction.startsWith('You condense');
const isTool = ({ role }: Message) => role === 'tool';
const read = toolNamed('read', async () => 'x'.repeat(600));
const overflow = () => Object.assign(new AgentError('too long', { code: 'MODEL_ERROR' }), { contextOverflow: true });

interface Parts extends RunParts {
  /** What the model does when it is not asked for a summary. */
  readonly reply: (request: ModelRequest) => ScriptedReply;
  /** What happens while it is. */
  readonly summary?: () => ScriptedReply | void;
}

/** A run whose model has a small window, with compaction. */
function compactedRun({ reply, summary, ...parts }: Parts) {
  const model = scriptedModel(
    (request) => (isSummary(request) ? (summary?.() ?? { text: ['The ', 'gist.'] }) : reply(request)),
    { contextWindow: window },
  );
  const handlers = [compactionHandler({ model: () => model })];
  const { options, journal } = runOptions([], { tools: [read], handlers, maxTurns: 12, ...parts });
  return { options: { ...options, model }, journal, model };
}

/** Reads until the request is `size` messages long; each reply says that it has filled nine tenths of the window by the third. */
const readsUntil =
  (size: number, usage: (request: ModelRequest) => ScriptedReply['usage'] = () => ({})) =>
  (request: ModelRequest): ScriptedReply => {
    const counted = usage(request) ?? {};
    return request.messages.length >= size ? { text: 'Done.', usage: counted } : { ...calls('read'), usage: counted };
  };
const growing = ({ messages }: ModelRequest) => ({ inputTokens: 300 * (messages.filter(isTool).length + 1) });

/** The history as a resume would find it. */
function viewOf(journal: MemoryJournal): readonly Message[] {
  let view: readonly Message[] = [];
  const answers = new Map<string, Omit<ToolResult, 'data'>>();
  for (const { record } of journal.records) {
    if (record.type === 'message') view = [...view, record.message];
    else if (record.type === 'compaction') view = compacted(view, record);
    else if (record.type === 'tool_finished') {
      answers.set(record.callId, record.result);
      const reply = view.at(-1);
      if (reply?.role !== 'assistant') continue;
      const results = toolUsesOf(reply).flatMap(({ id }) => answers.get(id) ?? []);
      if (results.length === toolUsesOf(reply).length) view = [...view, toolMessage(reply, results)];
    }
  }
  return view;
}
const typesIn = (events: readonly AgentEvent[]) => events.map(({ type }) => type).join(' ');

describe('runAgent with compaction at the threshold', () => {
  it('goes on with the summary, which nobody reads, and counts it before the deltas of its turn', async () => {
    let asked = 0;
    const reply = (request: ModelRequest) => (++asked === 4 ? { text: 'Done.' } : readsUntil(99, growing)(request));
    const { options, journal, model } = compactedRun({ reply });

    const { events, value } = await collect(runAgent(options));

    const lastTurn = events.slice(events.findLastIndex(({ type }) => type === 'turn_start'));
    expect(typesIn(lastTurn)).toBe('turn_start usage compaction content message usage turn_end');
    expect(events.filter(({ type }) => type === 'content')).toEqual([{ type: 'content', delta: 'Done.' }]);
    expect(linesOf(model.requests.at(-1)!.messages).map((line) => line.slice(0, 40))).toEqual([
      'user: The conversation up to here was co',
      'user: Begin.',
      'assistant: <read>',
      `tool: ${'x'.repeat(34)}`,
    ]);
    expect(viewOf(journal)).toEqual(value.messages);
    expect(recordsOf(journal, 'message')).toHaveLength(5);
  });

  it('delivers a message after the compaction during which it came', async () => {
    const box = inboxOf([]);
    let asked = 0;
    const reply = (request: ModelRequest) => (++asked >= 4 ? { text: 'Done.' } : readsUntil(99, growing)(request));
    const parts = compactedRun({ reply, inbox: box.inbox, summary: () => box.send('Faster.') });

    const { events, value } = await collect(runAgent(parts.options));

    const order = events.flatMap((event) => {
      if (event.type === 'user_message') return event.content;
      return event.type === 'compaction' || event.type === 'content' ? event.type : [];
    });
    expect(order).toEqual(['Begin.', 'compaction', 'content', 'Faster.', 'content']);
    expect(viewOf(parts.journal)).toEqual(value.messages);
  });

  it('finishes the compaction before a message that could not wait', async () => {
    const box = inboxOf([]);
    let asked = 0;
    const reply = (request: ModelRequest) => (++asked >= 4 ? { text: 'Done.' } : readsUntil(99, growing)(request));
    const parts = compactedRun({ reply, inbox: box.inbox, summary: () => box.urge('Stop.') });

    const { value } = await collect(runAgent(parts.options));

    const types = parts.journal.records.map(({ record }) => record.type);
    expect(types.slice(types.indexOf('compaction'))).toEqual(['compaction', 'message', 'message']);
    expect(linesOf(value.messages).slice(-2)).toEqual(['user: Stop.', 'assistant: Done.']);
    expect(viewOf(parts.journal)).toEqual(value.messages);
  });

  it('is aborted, not failed, when the abort comes during the summary', async () => {
    const controller = new AbortController();
    const { options, journal } = compactedRun({
      reply: readsUntil(99, growing),
      signal: controller.signal,
      summary: () => (controller.abort(), { text: 'The', hangs: true }),
    });

    const { value } = await collect(runAgent(options));

    expect(value.subtype).toBe('aborted');
    expect(recordsOf(journal, 'compaction')).toHaveLength(0);
    expect(recordsOf(journal, 'note')).toMatchObject([{ name: 'usage', data: { usage: { estimated: true } } }]);
  });

  it('compacts as often as a long run needs, each summary made of the one before it', async () => {
    let asked = 0;
    const reply = (request: ModelRequest) =>
      ++asked > 12
        ? { text: 'Done.' }
        : { ...calls('read'), usage: { inputTokens: linesOf(request.messages).join('').length / 4 } };
    const parts = compactedRun({ reply, maxTurns: 20 });

    const { value } = await collect(runAgent(parts.options));

    const summaries = parts.model.requests.filter(isSummary).map(({ messages }) => textOf(messages[0] as UserMessage));
    expect(summaries.length).toBeGreaterThan(1);
    expect(summaries.slice(1).every((text) => text.includes('The gist.'))).toBe(true);
    expect(value.subtype).toBe('success');
    expect(viewOf(parts.journal)).toEqual(value.messages);
    expect(recordsOf(parts.journal, 'message')).toHaveLength(14);
  });
});

describe('runAgent with compaction on overflow', () => {
  const refusing = (most: number) => (request: ModelRequest) =>
    request.messages.length > most ? { error: overflow() } : readsUntil(most)(request);

  it('calls again with the compacted history, which holds for the rest of the run', async () => {
    let asked = 0;
    const reply = (request: ModelRequest) => {
      if (request.messages.length > 7) return { error: overflow() };
      return ++asked > 5 ? { text: 'Done.' } : calls('read');
    };
    const parts = compactedRun({ reply });

    const { events, value } = await collect(runAgent(parts.options));

    expect(value.subtype).toBe('success');
    expect(events.some(({ type }) => type === 'error')).toBe(false);
    expect(textOf(value.messages[0] as UserMessage)).toContain('The gist.');
    expect(viewOf(parts.journal)).toEqual(value.messages);
    expect(recordsOf(parts.journal, 'compaction').length).toBeGreaterThan(0);
  });

  it('fails with the refusal when there is no summary', async () => {
    const { options } = compactedRun({
      reply: refusing(0),
      summary: () => ({ error: new Error('no') }),
      input: twoTasks(),
    });

    await expect(collect(runAgent(options))).rejects.toThrow('too long');
  });

  it('gives way to a message that cannot wait, and compacts at the next turn', async () => {
    const box = inboxOf([]);
    let summaries = 0;
    let refused = 0;
    const reply = (request: ModelRequest) => {
      if (request.messages.length > 6 && ++refused <= 2) return { error: overflow() };
      return refused > 0 ? { text: 'Done.' } : calls('read');
    };
    const parts = compactedRun({
      reply,
      inbox: box.inbox,
      summary: () => (++summaries === 1 ? (box.urge('Stop.'), { text: 'The', hangs: true }) : undefined),
    });

    const { value } = await collect(runAgent(parts.options));

    expect(recordsOf(parts.journal, 'compaction')).toHaveLength(1);
    expect(linesOf(value.messages).slice(-2)).toEqual(['user: Stop.', 'assistant: Done.']);
    expect(viewOf(parts.journal)).toEqual(value.messages);
  });
});

function twoTasks(): UserMessage[] {
  return ['One.', 'Two.', 'Three.', 'Four.'].map((text, index) => ({
    id: `m${index}`,
    createdAt: '2030-01-01T00:00:00.000Z',
    role: 'user',
    content: [{ type: 'text', text }],
  }));
}
