import { type AgentHandler, defineTool, objectSchema, type Tool, ValidationError } from '@x/core';
import { callWaits } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRule, type OptionRules } from '@x/errors/option-rules';
import { askAndWait, keyOfCall, questionState } from '@x/handlers/internal';

/** The answer to `AskUser`: free text, choices among those offered, or both. */
export interface AskUserAnswer {
  readonly text?: string;
  readonly choices?: readonly string[];
}

/** @throws ValidationError for an answer that says nothing */
export function checkAskUserAnswer(answer: AskUserAnswer, key: OptionRule): void {
  const rules: OptionRules<AskUserAnswer & { readonly key?: string }> = {
    text: is.filledText,
    choices: is.listOf(is.text, 'a list of choices'),
    key,
  };
  checkOptions('answer', answer, rules, 'answer');
  if (answer.text !== undefined || (answer.choices?.length ?? 0) > 0) return;
  throw new ValidationError(
    "An answer is { behavior: 'allow' } or { behavior: 'deny' }; that to a question of the model { text } or { choices }",
    'answer',
  );
}

interface AskUserInput {
  readonly question: string;
  readonly choices?: readonly string[];
  readonly multiple?: boolean;
}

export const ASK_USER = 'AskUser';
const MAX_CHOICES = 20;

/** The tool of sessions with `askUser: true`. Its handler answers it: nothing is executed. */
export const askUserTool: Tool<AskUserInput> = defineTool({
  name: ASK_USER,
  description: [
    'Asks the user a question, and waits for the answer as long as it takes.',
    'Use it when only the user can decide: a choice between alternatives, a missing fact. Do not ask for permission to use a tool.',
    'With choices, the user picks one of them, several with multiple, or answers in their own words.',
  ].join('\n'),
  inputSchema: objectSchema({
    question: { type: 'string', description: 'The whole question, in words that need no other context.' },
    choices: {
      type: 'array',
      items: 'string',
      maxItems: MAX_CHOICES,
      optional: true,
      description: 'Short answers to choose from.',
    },
    multiple: {
      type: 'boolean',
      optional: true,
      description: 'True when several choices may be picked; default false.',
    },
  }),
  kind: 'readonly',
  parallelSafe: true,
  execute: async () => {
    throw new Error(`${ASK_USER} works only in a session with askUser: true`);
  },
});

/** Asks the user what `AskUser` asks: the call waits for the answer, which becomes its result. */
export function askUserHandler(ttlMs: number | undefined): AgentHandler {
  return {
    name: 'ask-user',
    async *wrapToolCall(call, next, run) {
      if (call.name !== ASK_USER) return yield* next(call); // by name: a handler may copy a tool
      const key = (await keyOfCall(call))!; // its input is plain JSON
      const state = questionState(call, key, run);
      if (state === 'open') throw callWaits(call.id);
      if (state === 'expired') return { output: 'Nobody has answered before the question expired.', isError: true };
      if (state) return resultOf(state.answer as Given);
      const reason = 'the model asks the user';
      const asked = { kind: 'ask_user', toolName: ASK_USER, input: call.input, reason, key } as const;
      return yield* askAndWait(call, asked, { run, ttlMs });
    },
  };
}

type Given = AskUserAnswer & { readonly behavior?: 'deny'; readonly message?: string };

function resultOf({ behavior, message, text, choices = [] }: Given) {
  if (behavior === 'deny')
    return { output: `The user does not answer${message ? `: ${message}` : '.'}`, isError: true };
  const parts = [choices.length > 0 ? `The user chose: ${choices.join(', ')}` : undefined, text];
  return { output: parts.filter((part) => part !== undefined).join('\n\n'), isError: false };
}
