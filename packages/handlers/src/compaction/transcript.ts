import type { Message } from '@x/core';
import { partFacts, partText } from '@x/core/internal';
import { estimateText } from './estimate-tokens.ts';

/** Maximum characters of inputs and outputs of tools, tried in this order until everything fits. */
const TOOL_LIMITS: readonly number[] = [Number.POSITIVE_INFINITY, 8_000, 2_000, 500];
const INDENT = '  ';
/** Everything that may be read as the end of a line. */
const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;

/**
 * Messages as one text of at most about `maxTokens`: if it is longer, inputs and outputs of tools are shortened first, then the middle is
 * left out. Thoughts are left out, pictures named.
 */
export function transcript(messages: readonly Message[], maxTokens: number): string {
  let text = '';
  for (const limit of TOOL_LIMITS) {
    text = messages.flatMap((message) => partsOf(message, limit)).join('\n\n');
    if (estimateText(text) <= maxTokens) return text;
  }
  let length = text.length;
  let short = text;
  for (let tokens = estimateText(text); tokens > maxTokens && length > 0; tokens = estimateText(short)) {
    length = Math.floor((length * maxTokens * 0.95) / tokens);
    short = shortened(text, length);
  }
  return short;
}

function partsOf(message: Message, toolLimit: number): string[] {
  return message.content.flatMap((block) => {
    switch (block.type) {
      case 'text':
        return part(message.role, block.text);
      case 'image':
      case 'file':
      case 'link':
        return part(message.role, `(${partText(partFacts(block))})`);
      case 'tool_use':
        return part(`call of ${block.name}`, shortened(JSON.stringify(block.input) ?? '', toolLimit));
      case 'tool_result': {
        const pictures = block.images?.length ? `\n(pictures: ${block.images.length})` : '';
        const files = (block.files ?? []).map((file) => `\n(${partText(partFacts(file))})`).join('');
        const head = block.isError ? `error of ${block.name}` : `result of ${block.name}`;
        return part(head, shortened(block.output, toolLimit) + pictures + files);
      }
      default:
        return [];
    }
  });
}

/** Indents every line of the text: the output of a tool cannot pass for the words of the user. */
function part(head: string, text: string): string {
  return `[${head.replaceAll(LINE_END, ' ')}]\n${INDENT}${text.replaceAll(LINE_END, `\n${INDENT}`)}`;
}

/** Both ends of a text, with more of the beginning. */
function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, Math.ceil((limit * 2) / 3)).toWellFormed();
  const tail = text.slice(text.length - Math.floor(limit / 3)).toWellFormed();
  return `${head}\n[... ${text.length - limit} characters left out ...]\n${INDENT}${tail}`;
}
