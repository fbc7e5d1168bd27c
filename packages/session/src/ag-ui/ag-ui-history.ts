import { type Message, type Question, textOf, toolUsesOf } from '@x/core';
import { messageFacts, partFacts, present, shownMessage } from '@x/core/internal';
import type { AGUIInterrupt, AGUIMessage } from './ag-ui-event.ts';

/** The messages of a conversation, for a page that begins. */
export function historyOf(messages: readonly Message[]): AGUIMessage[] {
  return messages.flatMap((message): AGUIMessage[] => {
    const { id, role } = message;
    if (role === 'user') return [{ id, role, content: shownMessage(messageFacts(message)) }];
    if (role === 'tool')
      return message.content.map(({ toolUseId: toolCallId, output: content }) => ({
        id: `${toolCallId}:result`,
        role,
        content,
        toolCallId,
      }));
    const toolCalls = toolUsesOf(message).map(({ id: callId, name, input }) => ({
      id: callId,
      type: 'function' as const,
      function: { name, arguments: JSON.stringify(input) },
    }));
    const parts = message.content.flatMap((block) => (block.type === 'image' ? [partFacts(block)] : []));
    const content = shownMessage({ content: textOf(message), ...(parts.length > 0 ? { parts } : {}) });
    return [{ id, role, content, ...(toolCalls.length > 0 ? { toolCalls } : {}) }];
  });
}

const text = { type: 'string' };
/** Answers to a permission, and to `AskUser`. */
const RESPONSES: Record<Question['kind'], Record<string, unknown>> = {
  permission: { type: 'object', properties: { approved: { type: 'boolean' }, message: text }, required: ['approved'] },
  ask_user: { type: 'object', properties: { text, choices: { type: 'array', items: text } } },
};

/** An open question as an interrupt (docs.ag-ui.com/concepts/interrupts). */
export function interruptOf({
  callId,
  agentPath,
  kind,
  reason,
  expiresAt,
  key,
  toolName,
  input,
}: Question): AGUIInterrupt {
  const path = agentPath.join('/');
  return {
    id: callId,
    reason: kind === 'permission' ? 'tool_call' : 'input_required',
    message: reason,
    toolCallId: path === '' ? callId : `${path}/${callId}`,
    responseSchema: RESPONSES[kind],
    ...present({ expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString() }),
    ...(path === '' ? {} : { subagentRunId: path }),
    metadata: { key, toolName, input },
  };
}
