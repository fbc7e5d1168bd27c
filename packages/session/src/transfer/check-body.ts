import type { AssistantMessage, UserMessage } from '@x/core';
import { MODEL_OPTIONS } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkValue, type OptionRule } from '@x/errors/option-rules';
import type { EntryBody } from '../log/entry.ts';
import type { InboxItem } from '../log/session-store.ts';
import { MESSAGE_ID } from '../options/known-options.ts';
import { SESSION_ID } from '../store/refusals.ts';

const { required: must } = is;
const TEXT = must(is.text);
const FILLED = must(is.filledText);
const COUNT = must(is.count());
const NUMBER = is.rule('a number', (value) => Number.isFinite(value));
const TEXTS = is.listOf(is.text, 'a list of texts');
const IMAGE = is.shape({ mediaType: TEXT, data: TEXT });
const USAGE = is.shape({
  inputTokens: must(NUMBER),
  outputTokens: must(NUMBER),
  totalTokens: must(NUMBER),
  cacheReadTokens: NUMBER,
  cacheWriteTokens: NUMBER,
  reasoningTokens: NUMBER,
  serviceToolUses: is.recordOf(NUMBER),
});

const SAID = { text: TEXT, providerData: is.shape({ provider: TEXT }) };
const FILE = is.shape({ mediaType: TEXT, data: TEXT, name: is.text });
const LINK = is.shape({ mediaType: TEXT, url: TEXT, name: is.text });
const USER_BLOCKS = is.listOf(is.typed({ text: is.shape(SAID), image: IMAGE, file: FILE, link: LINK }));
const SHA256 = is.rule('a SHA-256 in hexadecimal', (value) => /^[0-9a-f]{64}$/.test(String(value)));
const SERVICE_STEP = is.shape({
  name: TEXT,
  id: is.text,
  state: must(is.oneOf('called', 'done', 'failed')),
  found: TEXTS,
  files: is.listOf(is.shape({ id: TEXT, name: is.text }), 'a list of files'),
});
const REPLY_BLOCKS = is.listOf(
  is.typed({
    text: is.shape({ ...SAID, sources: is.listOf(is.shape({ url: TEXT, title: is.text }), 'a list of sources') }),
    thinking: is.shape({ ...SAID, serviceTool: SERVICE_STEP }),
    image: is.shape({ mediaType: TEXT, data: TEXT, providerData: SAID.providerData }),
    tool_use: is.shape({ id: TEXT, name: TEXT, providerData: SAID.providerData }),
  }),
);
const ANY_MESSAGE = { id: FILLED, createdAt: TEXT };
const USER = is.shape({ ...ANY_MESSAGE, content: must(USER_BLOCKS), modelOptions: MODEL_OPTIONS });
const TOKEN = { token: TEXT, logprob: must(NUMBER) };
const LOGPROBS = is.listOf(
  is.shape({ ...TOKEN, top: is.listOf(is.shape(TOKEN), 'a list of tokens') }),
  'a list of tokens',
);
const LIMIT = is.shape({ limit: NUMBER, remaining: NUMBER, resetAt: is.text });
const RESPONSE = is.shape({
  id: is.text,
  model: is.text,
  stopReason: is.text,
  serviceTier: is.text,
  requestId: is.text,
  limits: is.shape({ requests: LIMIT, tokens: LIMIT, inputTokens: LIMIT, outputTokens: LIMIT }),
});
const REPLY = is.shape({
  ...ANY_MESSAGE,
  provider: TEXT,
  model: TEXT,
  stopReason: must(is.oneOf('end', 'tool_use', 'length', 'refusal', 'interrupted')),
  usage: must(USAGE),
  cost: NUMBER,
  content: must(REPLY_BLOCKS),
  logprobs: LOGPROBS,
  response: RESPONSE,
});
const MESSAGE = is.rule('an object', is.shape({}).fits, (value, path) => {
  const { role } = value as UserMessage | AssistantMessage; // safe: only compared
  checkValue(`${path}.role`, role, must(is.oneOf('user', 'assistant')));
  checkValue(path, value, role === 'user' ? USER : REPLY);
});

/** By type. Types that are not here pass unchanged: a newer version of the same format may have written them. */
const RECORDS: Readonly<Record<string, OptionRule>> = {
  message: is.shape({ message: must(MESSAGE) }),
  tool_started: is.shape({
    callId: TEXT,
    name: TEXT,
    idempotencyKey: TEXT,
    effect: must(is.oneOf('pure', 'idempotent', 'non_idempotent')),
    mark: is.text,
  }),
  tool_finished: is.shape({
    callId: TEXT,
    result: must(
      is.shape({
        output: TEXT,
        isError: must(is.flag),
        interrupted: is.oneOf('not_run', 'unknown'),
        images: is.listOf(IMAGE),
        files: is.listOf(FILE),
      }),
    ),
    durationMs: must(NUMBER),
  }),
  compaction: is.shape({
    id: TEXT,
    createdAt: TEXT,
    summary: TEXT,
    keptFrom: TEXT,
    pinned: TEXTS,
    tokensBefore: must(NUMBER),
  }),
  note: is.shape({ name: TEXT }),
};
const RUN = is.shape({ runId: TEXT });
const BODIES: Readonly<Record<string, OptionRule>> = {
  session_created: is.shape({
    cwd: must(is.filePath),
    format: COUNT,
    forkedFrom: is.shape({ sessionId: must(SESSION_ID), seq: COUNT }),
  }),
  run_started: is.shape({ runId: TEXT, messageId: TEXT, model: TEXT, maxTurns: is.count() }),
  record: is.shape({ scope: must(TEXTS), record: must(is.typed(RECORDS, true)) }),
  run_resumed: RUN,
  run_left: is.shape({ runId: TEXT, waits: is.shape({ until: is.count(0) }) }),
  run_ended: is.shape({
    runId: TEXT,
    subtype: must(is.oneOf('success', 'error', 'max_turns', 'aborted')),
    usage: must(USAGE),
    durationMs: NUMBER,
    cost: NUMBER,
    content: is.text,
    error: is.shape({ code: TEXT, message: TEXT }),
  }),
  title: is.shape({ title: TEXT }),
  metadata: is.shape({ metadata: must(is.recordOf(is.text)) }),
  rules_allowed: is.shape({ rules: must(TEXTS) }),
  files_rewound: is.shape({
    messageId: TEXT,
    rewindId: TEXT,
    restored: must(NUMBER),
    deleted: must(NUMBER),
    conflicts: must(NUMBER),
  }),
  conversation_rewound: is.shape({
    messageId: TEXT,
    kept: must(is.count(0)),
    restored: is.listOf(
      is.typed({ message: RECORDS['message']!, tool_finished: RECORDS['tool_finished']! }),
      'a list of records',
    ),
  }),
  mcp_pins: is.shape({
    pins: must(is.listOf(is.shape({ serverName: TEXT, name: TEXT, hash: TEXT }), 'a list of pins')),
  }),
  format_raised: is.shape({ format: COUNT }),
  blob: is.shape({
    of: TEXT,
    sha256: must(SHA256),
  }),
};
const BODY = must(is.typed(BODIES, true));
const ITEM = must(
  is.shape({
    message: must(
      is.rule(
        'a message of the user',
        (value) => (value as Partial<UserMessage> | null)?.role === 'user',
        (value, path) => {
          checkValue(path, value, MESSAGE);
          checkValue(`${path}.id`, (value as UserMessage).id, MESSAGE_ID); // safe: the rule before
        },
      ),
    ),
    priority: must(is.oneOf('now', 'next', 'later')),
    maxTurns: is.count(),
    command: is.shape({ name: must(is.oneOf('compact')), instructions: is.text }),
    blob: SHA256,
    answer: is.shape({ callId: FILLED, answer: must(is.shape({})) }),
  }),
);

/** Checks the body of an entry from outside, completely enough for everything that reads a log. @throws ValidationError */
export function checkBody(value: unknown): asserts value is EntryBody {
  checkValue('body', value, BODY);
}

/** Checks a waiting message from outside. @throws ValidationError */
export function checkInboxItem(value: unknown): asserts value is InboxItem {
  checkValue('item', value, ITEM);
}
