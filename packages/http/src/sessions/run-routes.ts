import { ValidationError } from '@x/core';
import { answerQuestion, type PendingQuestion, type QuestionAnswer } from '@x/session';
import { questionsOf } from '@x/session/internal';
import { answer, answerJson } from '../answers/answer.ts';
import type { Route } from '../routes/route.ts';
import { failed, oneOfOurs } from '../routes/schemas.ts';
import { endRun } from './end-run.ts';
import { type HostParts, sessionRoute } from './host-parts.ts';
import { withSession } from './profiles.ts';
import { sessionRequests as requests } from './session-schemas.ts';

/** The run of a session: ended, taken back, asked and answered. */
export function runRoutes(parts: HostParts): readonly Route[] {
  return [abortRoute(parts), rewindRoute(parts), questionsRoute(parts), answerRoute(parts)];
}

function abortRoute(parts: HostParts): Route {
  return sessionRoute(
    parts,
    {
      method: 'post',
      path: '/v1/sessions/:id/abort',
      operationId: 'abortRun',
      summary: 'Ends the open run as aborted, and withdraws its questions; its events say when it has ended',
      answers: { 202: { description: 'The run ends', schema: oneOfOurs('Aborted') } },
    },
    async (session, { context }) => answerJson(context, { aborted: await endRun(parts, session) }, 202),
  );
}

function rewindRoute(parts: HostParts): Route {
  return sessionRoute(
    parts,
    {
      method: 'post',
      path: '/v1/sessions/:id/rewind',
      operationId: 'rewindSession',
      summary:
        'Goes back to before a message of the user: files, where the profile has checkpoints, conversation or both',
      body: requests.RewindRequest,
      bodyName: 'RewindRequest',
      answers: {
        200: { description: 'What was taken back, or would be', schema: oneOfOurs('Rewound') },
        404: failed('The caller has no session of this id, or the session no such message'),
        409: failed('The session is being run'),
      },
    },
    async (session, { context, body }) => {
      const asked = body as { readonly messageId: string }; // safe: it fits the schema
      await parts.live.rested(session);
      return answerJson(context, await withSession(parts, session, (opened) => opened.rewind(asked)));
    },
  );
}

function questionsRoute(parts: HostParts): Route {
  return sessionRoute(
    parts,
    {
      method: 'get',
      path: '/v1/sessions/:id/questions',
      operationId: 'listQuestions',
      summary: 'The questions that wait for an answer, the oldest first',
      answers: { 200: { description: 'The questions', schema: oneOfOurs('Questions') } },
    },
    async ({ sessionId }, { context }) => answerJson(context, { questions: await questionsOf(parts.store, sessionId) }),
  );
}

interface AnswerRequest {
  readonly callId: string;
  readonly answer: QuestionAnswer;
}

function answerRoute(parts: HostParts): Route {
  return sessionRoute(
    parts,
    {
      method: 'post',
      path: '/v1/sessions/:id/answers',
      operationId: 'answerQuestion',
      summary: 'Answers a question; the run goes on at that call. The first answer counts',
      body: requests.AnswerRequest,
      bodyName: 'AnswerRequest',
      answers: {
        204: { description: 'It is recorded' },
        409: failed('No such question is open, or it was answered'),
        410: failed('The question has expired'),
      },
    },
    async ({ sessionId }, { context, body }) => {
      await give(parts, sessionId, body as AnswerRequest); // safe: it fits the schema; the rest is checked there
      return answer(context, null, 204);
    },
  );
}

/** Records an answer and has the session go on. @throws ValidationError, SessionError */
export async function give(parts: HostParts, sessionId: string, { callId, answer }: AnswerRequest): Promise<void> {
  const { store, wake } = parts;
  checkRemembered(answer, await questionsOf(store, sessionId), callId);
  await answerQuestion({ store, sessionId, callId, answer });
  await wake(sessionId);
}

/** Clients write no rules: they may only take the one that the question itself suggests. @throws ValidationError */
function checkRemembered(answer: QuestionAnswer, questions: readonly PendingQuestion[], callId: string): void {
  const { remember = [] } = answer as { readonly remember?: unknown }; // safe: looked at here
  const suggested = questions.find((one) => one.callId === callId)?.suggestedRule;
  if (!Array.isArray(remember) || remember.some((rule) => rule !== suggested))
    throw new ValidationError(
      'remember may have the suggestedRule of the question, and nothing else',
      'answer.remember',
    );
}
