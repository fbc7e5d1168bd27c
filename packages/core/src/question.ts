import { AgentError, isAgentError } from '@x/errors';

/** A question about one call, which waits for the answer of a person; the run has ended as `waiting`. */
export interface Question {
  readonly callId: string;
  /** Ids of the calls that have started the subagents around it, outermost first; empty for the session's own agent. */
  readonly agentPath: readonly string[];
  readonly agentName: string;
  readonly toolName: string;
  /** The input that the tool would get, which the answer is bound to. */
  readonly input: unknown;
  /** May the call run, or a question of the model itself (`AskUser`)? */
  readonly kind: 'permission' | 'ask_user';
  /** The reason for the question: nothing has decided, or a rule, path or hook requires it. */
  readonly reason: string;
  readonly matchedRule?: string;
  /** The rule that would have allowed exactly this call without a question; absent when no rule would. */
  readonly suggestedRule?: string;
  /** The paths that the call is about, absolute, with all links resolved. */
  readonly resolvedPaths?: readonly string[];
  /** True when there is a sandbox and this call would run outside of it. */
  readonly unsandboxed?: boolean;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  /** Milliseconds since 1970; from then on the call is refused. Absent: it waits for ever. */
  readonly expiresAt?: number;
  /** SHA-256 (hex) of all that the answer is about: tool, input, resolved paths, working directory, and the step that asked. */
  readonly key: string;
}
/** The part of a question that is recorded; the rest is where it is recorded. */
export type QuestionFacts = Omit<Question, 'callId' | 'agentPath'>;

const QUESTION = 'question:';

/** The name of the note that records a question about a call. */
export function questionNote(callId: string): string {
  return QUESTION + callId;
}

/** The call that a note of this name asks about; undefined for any other note. */
export function askedBy(noteName: string): string | undefined {
  return noteName.startsWith(QUESTION) ? noteName.slice(QUESTION.length) : undefined;
}

/** The name of the note that records the answer. */
export function answerNote(callId: string): string {
  return `answer:${callId}`;
}

/** The name of the note that records the decision about a call, with its `decision`. */
export function permissionNote(callId: string): string {
  return `permission:${callId}`;
}

const CODE = 'CALL_WAITS';

/** Thrown around a call that waits for an answer: it has no result yet. Handlers let it pass, like any error. */
export function callWaits(callId: string): AgentError {
  return new AgentError(`The call ${callId} waits for an answer`, { code: CODE });
}

export function isCallWaits(error: unknown): boolean {
  return isAgentError(error) && error.code === CODE;
}
