import type { JsonSchema } from '@x/json-schema';
import { date, listOf, milliseconds, oneOfOurs, record, size, text } from '../routes/schemas.ts';

const filled: JsonSchema = { type: 'string', pattern: '\\S' };
/** Of any length that a body may have. */
const message: JsonSchema = { type: 'string', minLength: 1 };
const key: JsonSchema = { type: 'string', pattern: '^[!-~]{1,255}$' };
const flag: JsonSchema = { type: 'boolean' };
const closed = (schema: JsonSchema): JsonSchema => ({ ...schema, additionalProperties: false });
const state: JsonSchema = { enum: ['idle', 'running', 'waiting', 'interrupted'] };
const messageId: JsonSchema = { ...filled, description: 'The id of a message of the session' };

type SessionRequestName =
  | 'CreateSessionRequest'
  | 'CreateHeaders'
  | 'ListSessionsQuery'
  | 'MessagesQuery'
  | 'SendMessageRequest'
  | 'SendHeaders'
  | 'EventsQuery'
  | 'EventsHeaders'
  | 'ForkRequest'
  | 'RewindRequest'
  | 'AnswerRequest'
  | 'UIRequest'
  | 'AGUIRequest';

/** Requests, which are judged by these very schemas; an unknown field is refused, since it could be meant as an option of the session. */
export const sessionRequests: Readonly<Record<SessionRequestName, JsonSchema>> = {
  CreateSessionRequest: closed(
    record({
      profile: { ...text, description: 'The profile of the server to take; may be left out when there is one' },
      title: { ...filled, maxLength: 200 },
      metadata: { type: 'object', additionalProperties: text, maxProperties: 29, description: 'Notes of the client' },
      message: { ...message, description: 'The first message' },
    }),
  ),
  CreateHeaders: record({
    'idempotency-key': { ...key, description: 'A session that was asked for under the same key is not made again' },
  }),
  ListSessionsQuery: record({
    state: { ...state, description: 'Keeps the sessions in this state' },
    cursor: { ...text, description: 'The cursor of the page before' },
    limit: { ...size(100, 50), description: 'Sessions on a page' },
  }),
  MessagesQuery: record({
    before: { ...text, description: 'Keeps the messages before the one of this id' },
    limit: { ...size(1000, 100), description: 'The newest so many of them' },
  }),
  SendMessageRequest: closed(
    record(
      {
        text: message,
        priority: {
          enum: ['now', 'next', 'later'],
          default: 'next',
          description: 'Interrupts the model, joins the run under way at its next turn, or waits for the next run',
        },
        maxTurns: { type: 'integer', minimum: 1, description: 'Of the run that it starts' },
      },
      'text',
    ),
  ),
  SendHeaders: record({
    'idempotency-key': { ...key, description: 'A message that came under the same key is not stored again' },
  }),
  EventsQuery: record({
    from: { ...text, description: 'The cursor of the last event that was read; default: the beginning' },
  }),
  EventsHeaders: record({
    'last-event-id': { ...text, description: 'The same, of a client that comes again; it goes before `from`' },
  }),
  ForkRequest: closed(
    record({
      messageId: { ...messageId, description: 'The last message to copy; default: all' },
      title: { ...filled, maxLength: 200 },
      copyCheckpoints: flag,
    }),
  ),
  RewindRequest: closed(record({ messageId, files: flag, conversation: flag, dryRun: flag, force: flag }, 'messageId')),
  AnswerRequest: closed(
    record(
      {
        callId: filled,
        answer: {
          type: 'object',
          description:
            '`behavior`: `allow` (with `updatedInput`, `remember`) or `deny` (with `message`); or `text`, `choices`. `key`: of the question that was seen',
        },
      },
      'callId',
      'answer',
    ),
  ),
  UIRequest: record(
    { messages: { type: 'array', minItems: 1, items: record({ role: text, parts: listOf({ type: 'object' }) }) } },
    'messages',
  ),
  AGUIRequest: record(
    {
      messages: listOf(record({ role: text }, 'role')),
      resume: listOf(
        record({ interruptId: text, status: { enum: ['resolved', 'cancelled'] } }, 'interruptId', 'status'),
      ),
    },
    'messages',
  ),
};

const usage = record(
  { inputTokens: size0(), outputTokens: size0(), totalTokens: size0() },
  'inputTokens',
  'outputTokens',
);
const total = {
  calls: size0(),
  usage,
  cost: record({ usd: milliseconds, knownUsd: milliseconds, unknownModels: listOf(text) }, 'knownUsd', 'unknownModels'),
};

function size0(): JsonSchema {
  return { type: 'integer', minimum: 0 };
}

/** Answers. */
export const sessionAnswers: Readonly<Record<string, JsonSchema>> = {
  Session: record(
    {
      sessionId: text,
      profile: text,
      state: { ...state, description: '`interrupted`: its run goes on when a server takes it up' },
      title: text,
      metadata: { type: 'object', additionalProperties: text },
      createdAt: date,
      updatedAt: date,
      forkedFrom: text,
      queued: { ...size0(), description: 'Messages and answers that no run has taken yet' },
      lastResult: record({ subtype: text, error: record({ code: text, message: text }, 'code', 'message') }, 'subtype'),
    },
    'sessionId',
    'profile',
    'state',
    'metadata',
    'createdAt',
    'updatedAt',
    'queued',
  ),
  SessionList: record({ sessions: listOf(oneOfOurs('Session')), cursor: text }, 'sessions'),
  Messages: record(
    {
      messages: listOf(
        record(
          {
            id: text,
            role: { enum: ['user', 'assistant', 'tool'] },
            createdAt: date,
            content: listOf({ type: 'object' }),
          },
          'id',
          'role',
          'createdAt',
          'content',
        ),
      ),
      hasMore: { ...flag, description: 'There are older ones' },
    },
    'messages',
    'hasMore',
  ),
  SentMessage: record(
    {
      messageId: text,
      status: { enum: ['started', 'steered', 'queued', 'duplicate'], description: '`duplicate`: it had come before' },
    },
    'messageId',
    'status',
  ),
  Questions: record(
    {
      questions: listOf(
        record(
          {
            callId: text,
            toolName: text,
            input: {},
            kind: { enum: ['permission', 'ask_user'] },
            reason: text,
            suggestedRule: text,
            key: text,
            askedAt: { ...milliseconds, description: 'Milliseconds since 1970' },
            expiresAt: milliseconds,
            ageMs: milliseconds,
          },
          'callId',
          'toolName',
          'kind',
          'reason',
          'askedAt',
          'ageMs',
        ),
      ),
    },
    'questions',
  ),
  Usage: record(
    {
      entries: listOf(
        record(
          {
            at: date,
            agentPath: listOf(text),
            provider: text,
            model: text,
            inputTokens: size0(),
            outputTokens: size0(),
          },
          'at',
          'agentPath',
          'provider',
          'model',
          'inputTokens',
          'outputTokens',
        ),
      ),
      byModel: listOf(record({ provider: text, model: text, ...total }, 'provider', 'model', 'calls', 'usage', 'cost')),
      total: record(total, 'calls', 'usage', 'cost'),
    },
    'entries',
    'byModel',
    'total',
  ),
  Aborted: record({ aborted: { ...flag, description: 'False when no run was open' } }, 'aborted'),
  Rewound: record(
    { success: flag, dryRun: flag, files: { type: 'object' }, conversation: { type: 'object' } },
    'success',
    'dryRun',
  ),
};
