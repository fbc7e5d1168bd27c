import type { AssistantMessage } from '@x/core';
import { recordOf } from './json-values.ts';

type Content = AssistantMessage['content'];

/** The tool through which a model gives its answer, if it has no mode for answers in a given format. */
export interface FinalCall {
  readonly name: string;
  /** The answer is the member `value` of the input, because its schema is not that of an object. */
  readonly wrapped: boolean;
}

/** The answer in the input of the tool, as JSON; invalid JSON stays as it is. */
function answerIn(input: unknown, { wrapped }: FinalCall): string {
  if (typeof input === 'string') return input;
  const record = wrapped ? recordOf(input) : undefined;
  return JSON.stringify(record && Object.hasOwn(record, 'value') ? record['value'] : input);
}

/** Replaces the call of the tool by the text of its answer; other text is thinking, not the answer. */
export function withAnswer(content: Content, tool: FinalCall): Content {
  const isFinal = (block: Content[number]) => block.type === 'tool_use' && block.name === tool.name;
  const answer = content.find(isFinal);
  if (answer?.type !== 'tool_use') return content;
  const text = answerIn(answer.input, tool);
  const data = answer.providerData ? { providerData: answer.providerData } : {};
  return content.flatMap((block): Content => {
    if (block === answer) return text === '' ? [] : [{ type: 'text', text, ...data }];
    if (isFinal(block)) return [];
    if (block.type !== 'text') return [block];
    const { sources: _sources, ...aside } = block;
    return [{ ...aside, type: 'thinking' }];
  });
}
