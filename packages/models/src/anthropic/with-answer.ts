import type { AssistantMessage } from '@x/core';
import { answerIn, type FinalTool } from './final-tool.ts';

type Content = AssistantMessage['content'];

/** The content with the call of the final tool as the text that it stands for; what was said before it is thinking, not the answer. */
export function withAnswer(content: Content, tool: FinalTool): Content {
  const isFinal = (block: Content[number]) => block.type === 'tool_use' && block.name === tool.name;
  const answer = content.find(isFinal);
  if (answer?.type !== 'tool_use') return content;
  const text = answerIn(answer.input, tool);
  return content.flatMap((block): Content => {
    if (block === answer) return text === '' ? [] : [{ type: 'text', text }];
    if (isFinal(block)) return [];
    return [block.type === 'text' ? { type: 'thinking', text: block.text } : block];
  });
}
