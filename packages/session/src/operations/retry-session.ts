import { isAgentError, type ResultMessage, type StreamMessage } from '@x/core';
import { resumeSession } from '../create-session.ts';
import type { ResumeOptions } from '../options/types.ts';

/**
 * Runs a session once more in this process, with the options of a resume: what was asked of a last run that has failed, else what waits and the run that was
 * cut off. Resolves with the result of that run. @throws SessionError `NOTHING_TO_STREAM` when there is nothing to do, `SESSION_BUSY`,
 * `SESSION_NOT_FOUND`; ValidationError
 */
export async function retrySession(options: ResumeOptions): Promise<ResultMessage | undefined> {
  const session = await resumeSession(options);
  try {
    try {
      return await resultOf(session.retry());
    } catch (error) {
      if (!isAgentError(error) || error.code !== 'NOTHING_TO_STREAM') throw error;
    }
    return await resultOf(session.stream());
  } finally {
    await session.close();
  }
}

async function resultOf(events: AsyncIterable<StreamMessage>): Promise<ResultMessage | undefined> {
  let result: ResultMessage | undefined;
  for await (const event of events) if (event.type === 'result') result = event;
  return result;
}
