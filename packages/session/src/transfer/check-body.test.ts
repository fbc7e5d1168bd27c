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
    ['mcp_pins', { type: 'mcp_pins', pins: [{ serverName: 's', name: 't', hash: 'h' }] }],
    ['conversation_rewound', { type: 'conversation_rewound', messageId: 'm', kept: 2, restored: [] }],
    ['files_rewound', { type: 'files_rewound', messageId: 'm', rewindId: 'r', restored: 1, deleted: 0, conflicts: 0 }],
    ['a raised format', { type: 'format_raised', format: 1 }],
    ['a message', said(user)],
    ['a picture in a message', said({ ...user, content: [{ type: 'image', ...image }] })],
    [
      'files and links in a message',
      said({
        ...user,
        content: [
          { type: 'file', ...image, name: 'a' },
          { type: 'link', mediaType: 'image/*', url: 'https://example.com' },
        ],
      }),
    ],
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
    ['body must be an object, not a list', []],
    ['body.type must be a text, not undefined', {}],
    [
      'body.cwd must be the path of a file or a directory, as well-formed text without NUL, not 7',
      { ...created, cwd: 7 },
    ],
    [
      'body.cwd must be the path of a file or a directory, as well-formed text without NUL, not ""',
      { ...created, cwd: '' },
    ],
    ['body.forkedFrom must be an object, not "one"', { ...created, forkedFrom: 'one' }],
    [
      'body.forkedFrom.sessionId must be the id of a session: letters, digits, _ and -, 128 at most, not ""',
      { ...created, forkedFrom: { sessionId: '', seq: 1 } },
    ],
    [
      'body.forkedFrom.seq must be a whole number from 1, not 0',
      { ...created, forkedFrom: { sessionId: 'one', seq: 0 } },
    ],
    ['body.model must be a text, not undefined', { ...started, model: undefined }],
    ['body.maxTurns must be a whole number from 1, not 0', { ...started, maxTurns: 0 }],
    ['body.subtype must be one of success, error, max_turns, aborted, not "done"', { ...ended, subtype: 'done' }],
    ['body.usage must be an object, not undefined', { ...ended, usage: undefined }],
    [
      'body.usage.totalTokens must be a number, not undefined',
      { ...ended, usage: { inputTokens: 1, outputTokens: 2 } },
    ],
    ['body.usage.cacheReadTokens must be a number, not null', { ...ended, usage: { ...usage, cacheReadTokens: null } }],
    ['body.error.code must be a text, not undefined', { ...ended, error: { message: 'No.' } }],
    [
      'body.sha256 must be a SHA-256 in hexadecimal, not "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"',
      { ...blob, sha256: 'A'.repeat(64) },
    ],
    ['body.title must be a text, not null', { type: 'title', title: null }],
    ['body.metadata must be an object, not null', { type: 'metadata', metadata: null }],
    ['body.rules must be a list of texts, not "Bash"', { type: 'rules_allowed', rules: 'Bash' }],
    ['body.rules[0] must be a text, not 1', { type: 'rules_allowed', rules: [1] }],
    ['body.metadata.a must be a text, not 1', { type: 'metadata', metadata: { a: 1 } }],
    ['body.format must be a whole number from 1, not 1.5', { type: 'format_raised', format: 1.5 }],
    ['body.scope must be a list of texts, not "c"', { ...recorded(call), scope: 'c' }],
    ['body.scope[0] must be a text, not 7', { ...recorded(call), scope: [7] }],
    ['body.scope must be a list of texts, not an object', { ...recorded(call), scope: { 0: 'c' } }],
    ['body.record must be an object, not "call"', recorded('call')],
    [
      'body.record.effect must be one of pure, idempotent, non_idempotent, not "some"',
      recorded({ ...call, effect: 'some' }),
    ],
    ['body.record.result.output must be a text, not 7', finished({ output: 7 })],
    ['body.record.result.isError must be true or false, not "no"', finished({ isError: 'no' })],
    ['body.record.result.interrupted must be one of not_run, unknown, not true', finished({ interrupted: true })],
    ['body.record.result.images must be a list, not an object', finished({ images: image })],
    ['body.record.result.files[0] must be an object, not "AAAA"', finished({ files: ['AAAA'] })],
    ['body.record.result.images[0] must be an object, not "AAAA"', finished({ images: ['AAAA'] })],
    [
      'body.record.result.images[1].data must be a text, not undefined',
      finished({ images: [image, { mediaType: 'image/png' }] }),
    ],
    ['body.record.durationMs must be a number, not NaN', recorded({ ...done, durationMs: Number.NaN })],
    ['body.record.pinned[0] must be a text, not 7', recorded({ ...compaction, pinned: [7] })],
    ['body.record.tokensBefore must be a number, not "9"', recorded({ ...compaction, tokensBefore: '9' })],
    ['body.record.name must be a text, not undefined', recorded({ type: 'note', data: 1 })],
  ])('refuses what is damaged: %s', (message, body) => {
    expect(() => checkBody(body)).toThrow(expect.objectContaining({ name: 'ValidationError', message }));
  });

  it.each<[string, object]>([
    ['body.record.message must be an object, not a list', [] as object],
    ['body.record.message.createdAt must be a text, not 0', { ...user, createdAt: 0 }],
    ['body.record.message.id must be a text that is not empty, not ""', { ...user, id: '' }],
    ['body.record.message.role must be one of user, assistant, not "system"', { ...user, role: 'system' }],
    ['body.record.message.model must be a text, not null', { ...reply, model: null }],
    [
      'body.record.message.stopReason must be one of end, tool_use, length, refusal, interrupted, not "stop"',
      { ...reply, stopReason: 'stop' },
    ],
    [
      'body.record.message.usage.inputTokens must be a number, not "1"',
      { ...reply, usage: { ...usage, inputTokens: '1' } },
    ],
    ['body.record.message.content must be a list, not "Hi."', { ...user, content: 'Hi.' }],
    ['body.record.message.content[0] must be an object, not "Hi."', { ...user, content: ['Hi.'] }],
    [
      'body.record.message.content[1].type must be one of text, image, file, link, not "thinking"',
      { ...user, content: [...user.content, { type: 'thinking' }] },
    ],
    [
      'body.record.message.content[0].type must be one of text, thinking, image, tool_use, not "file"',
      { ...reply, content: [{ type: 'file', ...image }] },
    ],
    ['body.record.message.content[0].text must be a text, not undefined', { ...user, content: [{ type: 'text' }] }],
    [
      'body.record.message.content[0].mediaType must be a text, not undefined',
      { ...user, content: [{ type: 'image', data: 'AAAA' }] },
    ],
    [
      'body.record.message.content[0].name must be a text, not undefined',
      { ...reply, content: [{ type: 'tool_use', id: 'c' }] },
    ],
    [
      'body.record.message.content[0].providerData must be an object, not "p"',
      { ...reply, content: [{ type: 'text', text: 'a', providerData: 'p' }] },
    ],
    [
      'body.record.message.content[0].providerData.provider must be a text, not undefined',
      { ...reply, content: [{ type: 'text', text: 'a', providerData: { data: 1 } }] },
    ],
  ])('refuses a message that is damaged: %s', (refusal, message) => {
    expect(() => checkBody(said(message))).toThrow(
      expect.objectContaining({ name: 'ValidationError', message: refusal }),
    );
  });
});

describe('checkInboxItem', () => {
  it.each<[string, unknown]>([
    ['a message', item],
    ['a message with a limit of turns', { ...item, maxTurns: 3 }],
    ['a message in a blob', { ...item, blob: 'a'.repeat(64) }],
    ['a wish for a compaction', asking({ name: 'compact' })],
    ['a wish for a compaction that says what to keep', asking({ name: 'compact', instructions: 'names' })],
  ])('takes %s', (_, given) => {
    expect(() => checkInboxItem(given)).not.toThrow();
  });

  it.each<[string, unknown]>([
    ['item must be an object, not null', null],
    ['item.message must be a message of the user, not undefined', { priority: 'next' }],
    ['item.message must be a message of the user, not an object', { ...item, message: reply }],
    ['item.priority must be one of now, next, later, not "soon"', { ...item, priority: 'soon' }],
    ['item.maxTurns must be a whole number from 1, not -1', { ...item, maxTurns: -1 }],
    ['item.command must be an object, not "compact"', asking('compact')],
    ['item.command.name must be one of compact, not "clear"', asking({ name: 'clear' })],
    ['item.command.instructions must be a text, not 7', asking({ name: 'compact', instructions: 7 })],
  ])('refuses what is damaged: %s', (message, given) => {
    expect(() => checkInboxItem(given)).toThrow(expect.objectContaining({ name: 'ValidationError', message }));
  });
});
