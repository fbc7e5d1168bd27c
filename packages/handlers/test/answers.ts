import { type AssistantMessage, type Message, type RunAnswer, type ToolMessage, userMessage } from '@x/core';
import { noUsage } from '@x/core/internal';

/** A reply of a model, under an id of its own. */
function replyOf(text: string, stopReason: AssistantMessage['stopReason'] = 'end'): AssistantMessage {
  return {
    id: crypto.randomUUID(),
    createdAt: '2024-01-01T00:00:00.000Z',
    role: 'assistant',
    content: [{ type: 'text', text }],
    provider: 'p',
    model: 'm',
    usage: noUsage(),
    stopReason,
  };
}

/** A reply of a model under the id `r`. */
export function reply(text: string): AssistantMessage {
  return { ...replyOf(text), id: 'r' };
}

/** The answer of a run that is about to end with this reply. */
export function answerOf(text: string, stopReason?: AssistantMessage['stopReason']): RunAnswer {
  return answered([userMessage('Begin.'), replyOf(text, stopReason)], text);
}

/** The answer of a run that is about to end with the output of a call. */
export function directAnswer(output: string): RunAnswer {
  const reply = replyOf('', 'tool_use');
  const content = [{ type: 'tool_result' as const, toolUseId: 'c', name: 't', output, isError: false }];
  const answers: ToolMessage = { id: 't', createdAt: reply.createdAt, role: 'tool', content };
  return answered([userMessage('Begin.'), reply, answers], output);
}

function answered(messages: readonly Message[], content: string): RunAnswer {
  return { messages, content };
}
