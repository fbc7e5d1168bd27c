import { ValidationError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { checkBody, checkInboxItem } from './check-body.ts';

const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 };
const user = { role: 'user', id: 'u', createdAt: 'then', content: [{ type: 'text', text: 'Hi.' }] };
const reply = {
  role: 'assistant',
  id: 'r',
  createdAt: 'then',
  provider: 'p',
  model: 'm',
  stopReason: 'end',
  usage,
  content: [{ type: 'thinking', text: 'Hm.', providerData: { provider: 'p', data: 1 } }],
};
const image = { mediaType: 'image/png', data: 'AAAA' };
const created = { type: 'session_created', format: 1, cwd: '/work' };
const started = { type: 'run_started', runId: 'r', messageId: 'm', model: 'm' };
const ended = { type: 'run_ended', runId: 'r', subtype: 'success', usage };
const blob = { type: 'blob', of: 'body', sha256: 'a'.repeat(64) };
const result = { output: 'done', isError: false };
const call = { type: 'tool_started', callId: 'c', name: 't', idempotencyKey: 's:c', input: {}, effect: 'pure' };
const done = { type: 'tool_finished', callId: 'c', result, durationMs: 1 };
const compaction = {
  type: 'compaction',
  id: 'c',
  createdAt: 'then',
  summary: 'So far.',
  keptFrom: 'm',
  tokensBefore: 9,
};
const item = { message: user, priority: 'next' };
const recorded = (record: unknown) => ({ type: 'record', scope: [], record });
const said = (message: unknown) => recorded({ type: 'message', message });
const finished = (more: object) => recorded({ ...done, result: { ...result, ...more } });
const asking = (command: unknown) => ({ ...item, command });

describe('checkBody', () => {
  it.each<[string, unknown]>([
    ['a session', created],
    ['a session that is a fork', { ...created, forkedFrom: { sessionId: 'one', seq: 3 } }],
    ['the start of a run', started],
    ['the start of a run with a limit', { ...started, maxTurns: 1 }],
    ['the end of a run', ended],
    ['the end of a run that failed', { ...ended, subtype: 'error', error: { code: 'C', message: 'No.' } }],
    ['a blob', blob],
    ['a title', { type: 'title', title: 'T' }],
    ['metadata', { type: 'metadata', metadata: { a: 'b' } }],
    ['rules_allowed', { type: 'rules_allowed', rules: ['Bash(ls)'] }],
    ['a raised format', { type: 'format_raised', format: 1 }],
    ['a message', said(user)],
    ['a picture in a message', said({ ...user, content: [{ type: 'image', ...image }] })],
    ['a reply', said(reply)],
    ['a call', recorded(call)],
    ['a result', recorded(done)],
    ['a result with a picture', finished({ images: [image] })],
    ['a result of a call that was not run', finished({ interrupted: 'not_run' })],
    ['a compaction', recorded(compaction)],
    ['a compaction that keeps messages', recorded({ ...compaction, pinned: ['m'] })],
    ['a note', recorded({ type: 'note', name: 'n', data: 1 })],
    ['an entry of a newer version', { type: 'of_tomorrow' }],
    ['a record of a newer version', recorded({ type: 'of_tomorrow' })],
  ])('takes %s', (_, body) => {
    expect(() => checkBody(body)).not.toThrow();
  });

  it.each<[string, unknown]>([
    ['body must be an object', []],
    ['body.type must be a text', {}],
    ['session_created.cwd must be a text', { ...created, cwd: 7 }],
    ['session_created.cwd is empty', { ...created, cwd: '' }],
    ['session_created.forkedFrom must be an object', { ...created, forkedFrom: 'one' }],
    ['session_created.forkedFrom.sessionId is not a session id', { ...created, forkedFrom: { sessionId: '', seq: 1 } }],
    [
      'session_created.forkedFrom.seq must be a whole number from 1',
      { ...created, forkedFrom: { sessionId: 'one', seq: 0 } },
    ],
    ['run_started.model must be a text', { ...started, model: undefined }],
    ['run_started.maxTurns must be a whole number from 1', { ...started, maxTurns: 0 }],
    ['run_ended.subtype must be one of success, error, max_turns, aborted', { ...ended, subtype: 'done' }],
    ['run_ended.usage must be an object', { ...ended, usage: undefined }],
    ['run_ended.usage.totalTokens must be a number', { ...ended, usage: { inputTokens: 1, outputTokens: 2 } }],
    ['run_ended.usage.cacheReadTokens must be a number', { ...ended, usage: { ...usage, cacheReadTokens: null } }],
    ['run_ended.error.code must be a text', { ...ended, error: { message: 'No.' } }],
    ['blob.sha256 is not a hash', { ...blob, sha256: 'A'.repeat(64) }],
    ['title.title must be a text', { type: 'title', title: null }],
    ['metadata must hold texts', { type: 'metadata', metadata: null }],
    ['rules_allowed.rules must be a list of texts', { type: 'rules_allowed', rules: 'Bash' }],
    ['rules_allowed.rules must be a list of texts', { type: 'rules_allowed', rules: [1] }],
    ['metadata must hold texts', { type: 'metadata', metadata: { a: 1 } }],
    ['format_raised.format must be a whole number from 1', { type: 'format_raised', format: 1.5 }],
    ['record.scope must hold texts', { ...recorded(call), scope: 'c' }],
    ['record.scope must hold texts', { ...recorded(call), scope: [7] }],
    ['record.scope must be a list', { ...recorded(call), scope: { 0: 'c' } }],
    ['record must be an object', recorded('call')],
    ['tool_started.effect must be one of pure, idempotent, non_idempotent', recorded({ ...call, effect: 'some' })],
    ['tool_finished.result.output must be a text', finished({ output: 7 })],
    ['tool_finished.result.isError must be true or false', finished({ isError: 'no' })],
    ['tool_finished.result.interrupted must be one of not_run, unknown', finished({ interrupted: true })],
    ['tool_finished.result.images must be a list', finished({ images: image })],
    ['tool_finished.result.images must be an object', finished({ images: ['AAAA'] })],
    ['tool_finished.result.images.data must be a text', finished({ images: [image, { mediaType: 'image/png' }] })],
    ['tool_finished.durationMs must be a number', recorded({ ...done, durationMs: Number.NaN })],
    ['compaction.pinned must hold texts', recorded({ ...compaction, pinned: [7] })],
    ['compaction.tokensBefore must be a number', recorded({ ...compaction, tokensBefore: '9' })],
    ['note.name must be a text', recorded({ type: 'note', data: 1 })],
  ])('refuses what is damaged: %s', (message, body) => {
    expect(() => checkBody(body)).toThrow(new ValidationError(message));
  });

  it.each<[string, object]>([
    ['message must be an object', [] as object],
    ['message.createdAt must be a text', { ...user, createdAt: 0 }],
    ['message.id is empty', { ...user, id: '' }],
    ['message.role must be user or assistant', { ...user, role: 'system' }],
    ['message.model must be a text', { ...reply, model: null }],
    ['message.stopReason must be one of end, tool_use, length, refusal, interrupted', { ...reply, stopReason: 'stop' }],
    ['message.usage.inputTokens must be a number', { ...reply, usage: { ...usage, inputTokens: '1' } }],
    ['message.content must be a list', { ...user, content: 'Hi.' }],
    ['message.content[0] must be an object', { ...user, content: ['Hi.'] }],
    [
      'message.content[1].type must be one of text, image',
      { ...user, content: [...user.content, { type: 'thinking' }] },
    ],
    [
      'message.content[0].type must be one of text, thinking, tool_use',
      { ...reply, content: [{ type: 'image', ...image }] },
    ],
    ['message.content[0].text must be a text', { ...user, content: [{ type: 'text' }] }],
    ['message.content[0].mediaType must be a text', { ...user, content: [{ type: 'image', data: 'AAAA' }] }],
    ['message.content[0].name must be a text', { ...reply, content: [{ type: 'tool_use', id: 'c' }] }],
    [
      'message.content[0].providerData must be an object',
      { ...reply, content: [{ type: 'text', text: 'a', providerData: 'p' }] },
    ],
    [
      'message.content[0].providerData.provider must be a text',
      { ...reply, content: [{ type: 'text', text: 'a', providerData: { data: 1 } }] },
    ],
  ])('refuses a message that is damaged: %s', (refusal, message) => {
    expect(() => checkBody(said(message))).toThrow(new ValidationError(refusal));
  });
});

describe('checkInboxItem', () => {
  it.each<[string, unknown]>([
    ['a message', item],
    ['a message with a limit of turns', { ...item, maxTurns: 3 }],
    ['a wish for a compaction', asking({ name: 'compact' })],
    ['a wish for a compaction that says what to keep', asking({ name: 'compact', instructions: 'names' })],
  ])('takes %s', (_, given) => {
    expect(() => checkInboxItem(given)).not.toThrow();
  });

  it.each<[string, unknown]>([
    ['item must be an object', null],
    ['item.message must be an object', { priority: 'next' }],
    ['item.message must be of a user', { ...item, message: reply }],
    ['item.priority must be one of now, next, later', { ...item, priority: 'soon' }],
    ['item.maxTurns must be a whole number from 1', { ...item, maxTurns: -1 }],
    ['item.command must be an object', asking('compact')],
    ['item.command is not known', asking({ name: 'clear' })],
    ['item.command.instructions must be a text', asking({ name: 'compact', instructions: 7 })],
  ])('refuses what is damaged: %s', (message, given) => {
    expect(() => checkInboxItem(given)).toThrow(new ValidationError(message));
  });
});
