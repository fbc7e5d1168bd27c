import type { AgentHandler } from '@x/core';
import { judgeAnswer } from './judge-answer.ts';
import { checkedFormat, type OutputFormat } from './output-format.ts';
import { repair } from './repair.ts';

/**
 * Makes the answer of a run a checked value. Every model call of the agent itself, not of its subagents, asks for the format. The
 * answer the run would end with is read as JSON and parsed by the schema: its text becomes `content` of the result, what the parser
 * returns `structured`. An answer that does not fit, be it a tool's that returned directly, starts another turn that says what is
 * wrong, at most twice a run; then, and at once when the model has refused, the run fails with `SessionError` `OUTPUT_INVALID`, whose
 * `details` are `{ content, issues, repairs }`. So a run that succeeds has a `structured` that fits.
 * @throws ValidationError for a format that cannot be honoured
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
