import type { AgentEvent, AssistantMessage, ModelRequest } from '@x/core';
import type { RunOptions } from './run-options.ts';
import { untilAborted } from './until-aborted.ts';

/**
 * One model call. Ended early by an abort or an urgent message it returns the text already shown as a reply with `stopReason`
 * `interrupted`, or undefined when nothing was said; any other error goes on.
 */
export async function* modelTurn(
  request: ModelRequest,
  { pipeline, model, run }: RunOptions,
): AsyncGenerator<AgentEvent, AssistantMessage | undefined, void> {
  const { signal } = request;
  const shown: string[] = [];
  const stream = untilAborted(
    pipeline.callModel(request, (changed) => model.stream(changed), run),
    signal,
  );
  let ended = false;
  try {
    for (;;) {
      const step = await stream.next();
      if (step.done) {
        ended = true;
        return step.value;
      }
      if (step.value.type === 'content') shown.push(step.value.delta);
      yield step.value;
    }
  } catch (error) {
    ended = true;
    if (!signal.aborted) throw error;
    return interruptedReply(shown.join(''), request, model);
  } finally {
    if (!ended) await stream.return(undefined as never);
  }
}

function interruptedReply(
  text: string,
  request: ModelRequest,
  { provider, name }: { readonly provider: string; readonly name: string },
): AssistantMessage | undefined {
  if (text === '') return undefined;
  const inputTokens = estimate(JSON.stringify(request.messages).length + request.instruction.length);
  const outputTokens = estimate(text.length);
  return {
    id: crypto.randomUUID(),
    createdAt: new Date().toISOString(),
    role: 'assistant',
    content: [{ type: 'text', text }],
    provider,
    model: name,
    usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, estimated: true },
    stopReason: 'interrupted',
  };
}

/** About four characters a token. */
function estimate(characters: number): number {
  return Math.ceil(characters / 4);
}
