import type { AssistantMessage, Tool, ToolUseBlock } from '@x/core';
import type { DisplaySize } from '@x/core/internal';

/** The display of a request with computer use; undefined without. Asked for replies with calls, and where tools are written. */
export function displayIn(tools: readonly Tool[]): DisplaySize | undefined {
  return tools.find(({ computer }) => computer)?.computer;
}

/** The content with calls in the service's own form read by `read`, which leaves other calls alone. */
export function withComputerCalls(
  content: AssistantMessage['content'],
  read: (call: ToolUseBlock) => ToolUseBlock,
): AssistantMessage['content'] {
  return content.map((block) => (block.type === 'tool_use' ? read(block) : block));
}
