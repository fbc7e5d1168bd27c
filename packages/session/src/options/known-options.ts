import { type ModelOptions, ValidationError } from '@x/core';
import { MODEL_OPTIONS } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import type { ForkSessionOptions, SendOptions, StreamOptions } from './types.ts';

/** Fields of the services' own requests that no option of ours says, in their common spellings. */
const OF_THE_SERVICE = /^(topK|(frequency|presence)Penalty)$/;
/** Spellings of options of the model. */
const OF_THE_MODEL: readonly (readonly [spelling: RegExp, option: keyof ModelOptions])[] = [
  [/^temperature$/, 'temperature'],
  [/^(max|maxOutput|maxCompletion)Tokens$/, 'maxOutputTokens'],
  [/^topP$/, 'topP'],
  [/^seed$/, 'seed'],
  [/^stop(Sequences)?$/, 'stopSequences'],
  [/^(reasoning(Effort)?|thinking|effort|maxThinkingTokens)$/, 'reasoning'],
  [/^toolChoice$/, 'toolChoice'],
  [/^parallelToolCalls$/, 'parallelToolCalls'],
  [/^serviceTier$/, 'serviceTier'],
  [/^(topL|l)ogprobs$/, 'logprobs'],
];

/** Spellings of other SDKs, and what says the same here. */
const OF_OTHERS: readonly (readonly [spelling: RegExp, ours: string])[] = [
  [/^(instructions?|systemMessage)$/, 'is systemPrompt here'],
  [/^max(Steps|Iterations|Rounds)$/, 'is maxTurns here'],
  [/^maxBudget(Usd)?$/, 'is maxCost here, in US dollars'],
  [/^(output(Type|Schema)|responseFormat)$/, "is outputFormat here, such as { type: 'json_schema', schema }"],
  [/^(handoffs|subAgents)$/, 'is agents here'],
  [/^(permissions|toolPermissions)$/, 'is allowedTools, disallowedTools, autoApprove and alwaysAsk here'],
  [/^(dangerouslySkipPermissions|approval(Mode|Policy))$/, 'is permissionMode here'],
  [/^(apiKey|baseURL|baseUrl)$/, 'goes into provider'],
  [/^(abort(Controller|Signal)|signal)$/, 'ends one message: give its signal to send, or call session.abort()'],
  [/^(messages|prompt|input)$/, 'is what session.send takes'],
  [/^resume$/, 'is a function here: resumeSession({ sessionId })'],
  [/^on(Finish|Step|StepFinish|Event|Message)$/, 'is an event of session.stream(), or a method of one of the handlers'],
];

/** Options of a fork. */
export const FORK: OptionRules<ForkSessionOptions> = {
  messageId: is.rule('the id of a message', (value) => typeof value === 'string'),
  copyRules: is.flag,
  copyCheckpoints: is.flag,
};

/** The kind of options to check. */
export interface Purpose {
  readonly resuming: boolean;
  readonly forking?: boolean;
}

/** Refuses keys that belong elsewhere, of the options at `path`. @throws ValidationError naming the place */
export function checkKey(key: string, { resuming, forking = false }: Purpose, path?: string): void {
  const refused = (why: string) => new ValidationError(`${key} ${why}`, path === undefined ? key : `${path}.${key}`);
  if (key === 'engine')
    throw refused('runs sessions for those who serve them; give it to serveSessions, and leave it out here');
  if (key === 'sessionId' && !resuming) {
    throw refused('is chosen by createSession itself; use resumeSession to go on with a session');
  }
  if (key === 'takeOver' && (!resuming || forking)) {
    throw refused('says how a session is resumed; use it with resumeSession');
  }
  if (Object.hasOwn(FORK, key) && !forking) {
    throw refused('says where a session is forked; use forkSession or session.fork');
  }
  const misplaced = misplacedOption(key);
  if (misplaced) throw refused(misplaced);
}

/** Says where a key belongs that is an option of the model, a field of its service, or of another SDK; undefined for any other. */
function misplacedOption(key: string): string | undefined {
  const spelt = key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const [, option] = OF_THE_MODEL.find(([spelling]) => spelling.test(spelt)) ?? [];
  if (option) return `is an option of the model, which goes into modelOptions.${option}`;
  if (OF_THE_SERVICE.test(spelt))
    return "is a field of the service's own requests, which goes into provider.extraBody, in its spelling there";
  return OF_OTHERS.find(([spelling]) => spelling.test(spelt))?.[1];
}

/** @throws ValidationError */
export function checkSendOptions(options: SendOptions): void {
  for (const key of Object.keys(options ?? {})) {
    const misplaced = Object.hasOwn(SEND, key) ? undefined : misplacedOption(key);
    if (misplaced) throw new ValidationError(`${key} ${misplaced}`, key);
  }
  checkOptions('The options', options, SEND);
}

/** Stores find a message by its id: a lone surrogate would be another one in some of them. */
export const MESSAGE_ID: is.OptionRule = is.rule(
  'a well-formed text of 1 to 255 characters without NUL',
  (id) => is.filePath.fits(id) && String(id).length <= 255,
);
const SEND: OptionRules<SendOptions> = {
  signal: is.abortSignal,
  maxTurns: is.count(),
  modelOptions: MODEL_OPTIONS,
  priority: is.oneOf('now', 'next', 'later'),
  idempotencyKey: MESSAGE_ID,
};
export const STREAM: OptionRules<StreamOptions> = { includeThinking: is.anything };
