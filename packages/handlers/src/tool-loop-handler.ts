import { type AgentHandler, type Message, SessionError, type ToolResultBlock, toolUsesOf } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { canonicalJson } from './canonical-json.ts';
import { ownHandler } from './own-handler.ts';

/** Options of `toolLoopHandler`. */
export interface ToolLoopOptions {
  /** Consecutive identical failures; default 5. */
  readonly limit?: number;
}

const OPTIONS: OptionRules<ToolLoopOptions> = { limit: is.count() };

/**
 * Ends a run that repeats itself: when the last `limit` calls, in the order of the model, used the same tool with the same input and failed
 * with the same output, `SessionError` `TOOL_LOOP` is thrown instead of the next model call. Their results are recorded and emitted by
 * then. Anything else resets the count: a success, another failure, a user message. The count is computed from the history, so a resume
 * continues it.
 */
export function toolLoopHandler(options: ToolLoopOptions = {}): AgentHandler {
  checkOptions('toolLoopHandler options', options, OPTIONS);
  const { limit = 5 } = options;
  return ownHandler({
    name: 'tool-loop',
    beforeModelRewriteHistory(messages) {
      const failures = failuresAtEnd(messages, limit);
      const last = failures[0];
      if (!last || failures.length < limit) return messages;
      throw new SessionError(
        `${last.name} failed ${limit} times in a row with the same input and the same error: ${last.output}`,
        { code: 'TOOL_LOOP', details: { toolName: last.name, failures: limit } },
      );
    },
  });
}

/** The identical failures at the end of the history, the last one first; at most `limit`. */
function failuresAtEnd(messages: readonly Message[], limit: number): readonly ToolResultBlock[] {
  const failures: ToolResultBlock[] = [];
  let same: string | undefined;
  for (let index = messages.length - 1; index > 0; index -= 2) {
    const [reply, answers] = [messages[index - 1]!, messages[index]!]; // both within the list
    if (answers.role !== 'tool' || reply.role !== 'assistant') return failures;
    if (!answers.content.at(-1)?.isError) return failures; // asked before every turn, and nearly always so
    const inputs = new Map(toolUsesOf(reply).map(({ id, input }) => [id, input]));
    for (const answer of answers.content.toReversed()) {
      if (!answer.isError || failures.length >= limit) return failures;
      const key = canonicalJson([answer.name, inputs.get(answer.toolUseId), answer.output]);
      if (key === undefined || key !== (same ??= key)) return failures;
      failures.push(answer);
    }
  }
  return failures;
}
