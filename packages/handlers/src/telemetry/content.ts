import type { AssistantMessage, Message, ModelRequest } from '@x/core';
import { finishReasonOf } from './attributes.ts';
import type { SpanAttributes } from './tracer-like.ts';

/** Maximum characters of one text, one input or one output. */
const MAX_PIECE = 4_096;
/** Maximum characters of all messages of a request; the newest are kept. */
const MAX_MESSAGES = 65_536;

type Part = Readonly<Record<string, unknown>>;

/** The instruction and the newest messages of a request, in the JSON form of the conventions. */
export function requestContent({ instruction, messages }: ModelRequest): SpanAttributes {
  return {
    'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: bounded(instruction) }]),
    'gen_ai.input.messages': `[${newest(messages).join(',')}]`,
  };
}

/** A reply in the JSON form of the conventions. */
export function replyContent(reply: AssistantMessage): SpanAttributes {
  const message = { role: 'assistant', parts: reply.content.map(partOf), finish_reason: finishReasonOf(reply) };
  return { 'gen_ai.output.messages': JSON.stringify([message]) };
}

/** Any value as bounded JSON. */
export function jsonOf(value: unknown): string {
  try {
    return bounded(JSON.stringify(value) ?? '');
  } catch {
    return ''; // a handler may have put in what JSON cannot hold; telemetry is no reason to fail
  }
}

/** The text, cut if it is too long. */
export function bounded(text: string): string {
  if (text.length <= MAX_PIECE) return text;
  return `${text.slice(0, MAX_PIECE).toWellFormed()}... (${text.length - MAX_PIECE} more characters)`;
}

function newest(messages: readonly Message[]): string[] {
  const kept: string[] = [];
  let room = MAX_MESSAGES;
  for (const { role, content } of messages.toReversed()) {
    const json = JSON.stringify({ role, parts: content.map(partOf) });
    room -= json.length;
    if (room < 0) break;
    kept.unshift(json);
  }
  return kept;
}

/** The input itself if it is small: trace viewers show it as an object. */
function inputOf(input: unknown): unknown {
  const json = JSON.stringify(input) ?? '';
  return json.length <= MAX_PIECE ? input : bounded(json);
}

function partOf(block: Message['content'][number]): Part {
  switch (block.type) {
    case 'text':
      return { type: 'text', content: bounded(block.text) };
    case 'thinking':
      return { type: 'reasoning', content: bounded(block.text) };
    case 'image':
    case 'file':
    case 'link':
      // the bytes themselves are too many for a span
      return { type: block.type, mime_type: block.mediaType, ...(block.type === 'link' ? { uri: block.url } : {}) };
    case 'tool_use':
      return { type: 'tool_call', id: block.id, name: block.name, arguments: inputOf(block.input) };
    default:
      return { type: 'tool_call_response', id: block.toolUseId, response: bounded(block.output) };
  }
}
