import type { AgentHandler } from '@x/core';
import { judgeAnswer } from './judge-answer.ts';
import { checkedFormat, type OutputFormat } from './output-format.ts';
import { repair } from './repair.ts';

/**
 * Makes the answer of a run a checked value. Every model call of the agent itself, not of its subagents, requests the format. The final
 * answer is read as JSON and parsed by the schema: its text becomes `content` of the result, the parsed value `structured`. An invalid
 * answer, even one of a tool that returned directly, starts another turn that names the faults, at most twice a run; after that, and
 * immediately when the model has refused, the run fails with `SessionError` `OUTPUT_INVALID`, whose `details` are `{ content, issues,
 * repairs }`. So a run that succeeds has a valid `structured`.
 * @throws ValidationError for an invalid format
 */
export function outputFormatHandler(format: OutputFormat): AgentHandler {
  const checked = checkedFormat(format);
  const { request: outputFormat } = checked;
  return {
    name: 'output-format',
    wrapModelCall: (request, next, run) => next(run.depth === 0 ? { ...request, outputFormat } : request),
    async checkAnswer(answer, run) {
      if (run.depth > 0) return undefined;
      const judged = await judgeAnswer(answer, checked, run);
      if (!judged || 'structured' in judged) return judged;
      return { again: [await repair(judged, { answer, format: checked, run })] };
    },
  };
}
