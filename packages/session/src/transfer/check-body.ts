import type { EntryBody } from '../log/entry.ts';
import type { InboxItem } from '../log/session-store.ts';
import { isSessionId } from '../store/refusals.ts';
import { checkImages, checkMessage, checkTexts, checkUsage, type Fields, fieldsOf, refuse } from './check-message.ts';

const SUBTYPES: readonly unknown[] = ['success', 'error', 'max_turns', 'aborted'];
const EFFECTS: readonly unknown[] = ['pure', 'idempotent', 'non_idempotent'];
const INTERRUPTED: readonly unknown[] = [undefined, 'not_run', 'unknown'];
const PRIORITIES: readonly unknown[] = ['now', 'next', 'later'];
const SHA256 = /^[0-9a-f]{64}$/;

/** Checks by type. Unknown types pass unchanged: a newer version of the same format may have written them. */
const BODIES = new Map<string, (body: Fields) => void>([
  ['session_created', checkCreated],
  ['run_started', checkStarted],
  ['record', checkRecordBody],
  ['run_resumed', (body) => checkTexts(body, ['runId'], 'run_resumed')],
  ['run_left', (body) => checkTexts(body, ['runId'], 'run_left')],
  ['run_ended', checkEnded],
  ['title', (body) => checkTexts(body, ['title'], 'title')],
  ['metadata', (body) => checkAllTexts(body['metadata'], 'metadata')],
  ['rules_allowed', (body) => checkRules(body['rules'])],
  ['format_raised', (body) => checkCount(body['format'], 'format_raised.format')],
  ['blob', checkBlob],
]);
const RECORDS = new Map<string, (record: Fields) => void>([
  ['message', ({ message }) => checkMessage(message, 'message')],
  ['tool_started', checkToolStarted],
  ['tool_finished', checkToolFinished],
  ['compaction', checkCompaction],
  ['note', (record) => checkTexts(record, ['name'], 'note')],
]);

/** Checks the body of an entry from outside, completely enough for everything that reads a log. @throws ValidationError */
export function checkBody(value: unknown): asserts value is EntryBody {
  const body = fieldsOf(value, 'body');
  checkTexts(body, ['type'], 'body');
  BODIES.get(body['type'] as string)?.(body); // a text, as was checked
}

/** Checks a waiting message from outside. @throws ValidationError */
export function checkInboxItem(value: unknown): asserts value is InboxItem {
  const { message, priority, maxTurns, command } = fieldsOf(value, 'item');
  checkMessage(message, 'item.message');
  if (message.role !== 'user') refuse('item.message must be of a user');
  if (!PRIORITIES.includes(priority)) refuse('item.priority must be one of now, next, later');
  if (maxTurns !== undefined) checkCount(maxTurns, 'item.maxTurns');
  if (command === undefined) return;
  const asked = fieldsOf(command, 'item.command');
  if (asked['name'] !== 'compact') refuse('item.command is not known');
  if (asked['instructions'] !== undefined) checkTexts(asked, ['instructions'], 'item.command');
}

function checkCreated(body: Fields): void {
  checkTexts(body, ['cwd'], 'session_created');
  checkCount(body['format'], 'session_created.format');
  if (body['cwd'] === '') refuse('session_created.cwd is empty');
  if (body['forkedFrom'] === undefined) return;
  const { sessionId, seq } = fieldsOf(body['forkedFrom'], 'session_created.forkedFrom');
  if (!isSessionId(sessionId)) refuse('session_created.forkedFrom.sessionId is not a session id');
  checkCount(seq, 'session_created.forkedFrom.seq');
}

function checkRules(rules: unknown): void {
  if (!Array.isArray(rules) || !rules.every((rule) => typeof rule === 'string')) {
    refuse('rules_allowed.rules must be a list of texts');
  }
}

function checkStarted(body: Fields): void {
  checkTexts(body, ['runId', 'messageId', 'model'], 'run_started');
  if (body['maxTurns'] !== undefined) checkCount(body['maxTurns'], 'run_started.maxTurns');
}

function checkEnded(body: Fields): void {
  checkTexts(body, ['runId'], 'run_ended');
  if (!SUBTYPES.includes(body['subtype']))
    refuse('run_ended.subtype must be one of success, error, max_turns, aborted');
  checkUsage(body['usage'], 'run_ended.usage');
  if (body['error'] !== undefined)
    checkTexts(fieldsOf(body['error'], 'run_ended.error'), ['code', 'message'], 'run_ended.error');
}

function checkBlob(body: Fields): void {
  checkTexts(body, ['of', 'sha256'], 'blob');
  if (!SHA256.test(body['sha256'] as string)) refuse('blob.sha256 is not a hash'); // a text, as was checked
}

function checkRecordBody({ scope, record: value }: Fields): void {
  checkAllTexts(scope, 'record.scope');
  if (!Array.isArray(scope)) refuse('record.scope must be a list');
  const record = fieldsOf(value, 'record');
  checkTexts(record, ['type'], 'record');
  RECORDS.get(record['type'] as string)?.(record); // a text, as was checked
}

function checkToolStarted(record: Fields): void {
  checkTexts(record, ['callId', 'name', 'idempotencyKey'], 'tool_started');
  if (!EFFECTS.includes(record['effect']))
    refuse('tool_started.effect must be one of pure, idempotent, non_idempotent');
  if (record['mark'] !== undefined) checkTexts(record, ['mark'], 'tool_started');
}

function checkToolFinished(record: Fields): void {
  checkTexts(record, ['callId'], 'tool_finished');
  const result = fieldsOf(record['result'], 'tool_finished.result');
  checkTexts(result, ['output'], 'tool_finished.result');
  if (typeof result['isError'] !== 'boolean') refuse('tool_finished.result.isError must be true or false');
  if (!INTERRUPTED.includes(result['interrupted']))
    refuse('tool_finished.result.interrupted must be one of not_run, unknown');
  if (result['images'] !== undefined) checkImages(result['images'], 'tool_finished.result.images');
  if (!Number.isFinite(record['durationMs'])) refuse('tool_finished.durationMs must be a number');
}

function checkCompaction(record: Fields): void {
  checkTexts(record, ['id', 'createdAt', 'summary', 'keptFrom'], 'compaction');
  if (record['pinned'] !== undefined) checkAllTexts(record['pinned'], 'compaction.pinned');
  if (!Number.isFinite(record['tokensBefore'])) refuse('compaction.tokensBefore must be a number');
}

/** @throws ValidationError unless everything in the list or object is a text */
function checkAllTexts(value: unknown, what: string): void {
  if (typeof value !== 'object' || value === null) refuse(`${what} must hold texts`);
  if (Object.values(value).some((one) => typeof one !== 'string')) refuse(`${what} must hold texts`);
}

function checkCount(value: unknown, what: string): void {
  if (!Number.isInteger(value) || (value as number) < 1) refuse(`${what} must be a whole number from 1`); // a number, as was checked
}
