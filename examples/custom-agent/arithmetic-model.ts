import { type AssistantMessage, type Message, type Model, type ToolUseBlock, textOf } from '@x/agent-sdk';

/** A model of our own: it understands "add 2 and 3", asks for the tool `add`, and says what it was told. */
export const arithmeticModel: Model = {
  provider: 'in-house',
  name: 'arithmetic-1',
  contextWindow: 4_000,
  async *stream({ messages, signal }) {
    signal.throwIfAborted();
    const last = messages.at(-1);
    if (last?.role !== 'tool') return reply('', sumsIn(last));
    const text = last.content.map(({ output }) => output).join('\n');
    for (const delta of text.split(/(?<= )/)) yield { type: 'content', delta };
    return reply(text, []);
  },
};

/** One call for each pair of numbers. */
function sumsIn(message: Message | undefined): ToolUseBlock[] {
  const question = message?.role === 'user' ? textOf(message) : '';
  return Array.from(question.matchAll(/add (\d+) and (\d+)/g), ([, a, b], index) => ({
    type: 'tool_use',
    id: `${message?.id}_${index}`,
    name: 'add',
    input: { a: Number(a), b: Number(b) },
  }));
}

function reply(text: string, calls: readonly ToolUseBlock[]): AssistantMessage {
  return {
    id: crypto.randomUUID(),
    createdAt: new Date().toISOString(),
    role: 'assistant',
    content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls],
    provider: 'in-house',
    model: 'arithmetic-1',
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    stopReason: calls.length > 0 ? 'tool_use' : 'end',
  };
}
