import { type AgentEvent, type Message, type RunAnswer, textOf, type UserMessage } from '@x/core';
import type { RunOptions, RunResult } from './run-options.ts';

/** A run whose model has no more calls, or in which one has returned directly. */
export interface AtRest {
  readonly messages: readonly Message[];
  /** User messages for the next turn, if any. */
  readonly waiting: readonly UserMessage[];
  /** The output of the call that has returned directly. */
  readonly direct: string | undefined;
}

/**
 * The end of the run, or the user messages that continue it. Handlers are asked for more messages first, then the inbox is read, then the
 * answer is judged: an answer that nobody will read is not. A message that arrives until then is part of the run.
 */
export async function* endOfRun(
  { messages, waiting, direct }: AtRest,
  { pipeline, run, inbox }: RunOptions,
): AsyncGenerator<AgentEvent, RunResult | readonly UserMessage[], void> {
  const aborted = { subtype: 'aborted', messages } as const;
  const wanted = [...waiting, ...(await pipeline.afterAgent(messages, run))];
  for (const event of run.takeEmitted()) yield event;
  if (run.signal.aborted) return aborted;
  if (wanted.length > 0) return wanted;
  const given: RunAnswer = { messages, content: direct ?? lastText(messages) };
  let answer = given;
  if (pipeline.checksAnswers) {
    const arrived = direct === undefined ? await inbox.take() : [];
    if (arrived.length > 0) return arrived;
    const judged = await pipeline.checkAnswer(given, run);
    for (const event of run.takeEmitted()) yield event;
    if (run.signal.aborted) return aborted;
    if (!('content' in judged)) return judged;
    answer = judged;
  }
  const late = direct === undefined ? await inbox.take({ last: true }) : [];
  if (late.length > 0) return late;
  const isOwn = direct === undefined && answer.content === given.content;
  const structured = Object.hasOwn(answer, 'structured') ? { structured: answer.structured } : {};
  return { subtype: 'success', messages, ...(isOwn ? {} : { content: answer.content }), ...structured };
}

function lastText(messages: readonly Message[]): string {
  const reply = messages.findLast((message) => message.role === 'assistant');
  return reply ? textOf(reply) : '';
}
