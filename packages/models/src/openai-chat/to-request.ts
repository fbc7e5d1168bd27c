import type { AssistantMessage, Message, ModelRequest, Tool, ToolMessage, ToolUseBlock, UserMessage } from '@x/core';
import { refusedComputer, resultMedia } from '@x/core/internal';
import { mediaTitle } from '../content/media-title.ts';
import { openaiSchema } from '../schema/provider-schema.ts';
import { calledName } from '../wire/call-id.ts';
import { withExtra } from '../wire/extra-body.ts';
import { type FinalTool, finalInstruction } from '../wire/final-tool.ts';
import { givenFields, type OptionFields } from '../wire/option-fields.ts';
import { members, type RequestFormat } from '../wire/request-format.ts';
import { carriedCallFields, carriedFields } from './carried-fields.ts';
import { chatCallId, type Reader, readerOf } from './chat-call-id.ts';
import { chatModelFacts } from './chat-model-facts.ts';
import { chatOptions } from './chat-options.ts';
import type { FinalToolOf } from './final-tool.ts';
import { textPart, userPart, type WirePart } from './user-parts.ts';

/** A message in the format of chat completions. */
type WireMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly WirePart[] }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: readonly WireCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };
interface WireCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** The reply that some models demand between results and a user message. */
const SEEN: WireMessage = { role: 'assistant', content: 'OK' };

interface ChatFormatOptions {
  /** Default: `openai-compatible`. */
  readonly provider?: string;
  /** Set when the model answers in a given format by a tool; otherwise the service's own format is used. */
  readonly finalToolOf?: FinalToolOf | undefined;
  /** Default: by the model's name. */
  readonly fieldsOf?: OptionFields['fieldsOf'];
}

/** The request format of chat completions for the model `name`. */
export function chatFormat(
  name: string,
  extra: Readonly<Record<string, unknown>> = {},
  { provider = 'openai-compatible', finalToolOf, fieldsOf = chatOptions(name).fieldsOf }: ChatFormatOptions = {},
): RequestFormat {
  const reader = readerOf(name, provider, chatModelFacts(name, extra));
  return {
    tools(request) {
      const final = finalToolOf?.(request);
      const tools = [...request.tools.map((tool) => wireTool(tool, name)), ...(final ? [wireFinalTool(final)] : [])];
      return members({ tools: tools.length > 0 ? tools : undefined });
    },
    head(request, tools) {
      const { outputFormat, options } = request;
      const final = finalToolOf?.(request);
      const hasTools = tools !== '';
      const given = givenFields(options, { fieldsOf, extraBody: extra, hasTools });
      const choice = final && chatModelFacts(name, given).canBeForced ? { tool_choice: 'required' } : {};
      const start = { model: name, stream: true, stream_options: { include_usage: true }, ...choice };
      const format = { response_format: outputFormat && !final ? responseFormat(outputFormat) : undefined };
      const instruction = instructionOf(request, final);
      const system = instruction && JSON.stringify({ role: 'system', content: instruction.toWellFormed() });
      return `{${members(withExtra(start, given, { hasTools }))}${tools}${members(format)}"messages":[${system}`;
    },
    messages: (message, roleBefore) => wireMessages(message, reader, roleBefore),
  };
}

/** Converts one message, from nothing but the message, the receiver, and the role before. */
function wireMessages(message: Message, reader: Reader, roleBefore?: string): readonly WireMessage[] {
  if (message.role === 'user') {
    const isRefused = roleBefore === 'tool' && !reader.facts.takesUserAfterResults;
    return [...(isRefused ? [SEEN] : []), userMessage(message)];
  }
  if (message.role === 'assistant') return assistantMessages(message, reader);
  return toolMessages(message, reader);
}

function wireTool({ name, description, inputSchema, computer }: Tool, model: string): object {
  if (computer) throw refusedComputer(name, model);
  return { type: 'function', function: { name, description, parameters: inputSchema.json } };
}

function wireFinalTool({ name, inputSchema }: FinalTool): object {
  const description = 'Gives the final answer. Call it once, when everything else is done, and say nothing else.';
  return { type: 'function', function: { name, description, parameters: inputSchema } };
}

function instructionOf({ instruction }: ModelRequest, final: FinalTool | undefined): string {
  if (!final) return instruction;
  const how = finalInstruction(final);
  return instruction === '' ? how : `${instruction}\n\n${how}`;
}

function responseFormat({ name, schema, strict }: NonNullable<ModelRequest['outputFormat']>): object {
  return { type: 'json_schema', json_schema: { name, schema: openaiSchema(schema, strict), strict } };
}

function userMessage({ content }: UserMessage): WireMessage {
  const [only] = content;
  if (content.length === 0) return { role: 'user', content: '' };
  if (content.length === 1 && only?.type === 'text') return { role: 'user', content: only.text.toWellFormed() };
  return { role: 'user', content: content.map(userPart) };
}

/**
 * Thinking is sent only in the fields that its own model expects back. A reply with neither text nor calls is left out. Without text the
 * content is null, as the services write it.
 */
function assistantMessages(message: AssistantMessage, reader: Reader): readonly WireMessage[] {
  const { name, provider } = reader;
  const isOwn = message.provider === provider && message.model === name;
  let text = '';
  const calls: WireCall[] = [];
  for (const block of message.content) {
    if (block.type === 'text') text += block.text;
    if (block.type === 'tool_use') {
      calls.push({ ...wireCall(block, reader), ...(isOwn ? carriedCallFields(block, provider) : {}) });
    }
  }
  if (text === '' && calls.length === 0) return [];
  const content = text === '' ? null : text.toWellFormed();
  const called = calls.length > 0 ? { tool_calls: calls } : {};
  return [{ role: 'assistant', content, ...called, ...carriedFields(message, reader) }];
}

/** A call without a name was answered with an error; services require a name all the same. */
function wireCall({ id, name, input }: ToolUseBlock, reader: Reader): WireCall {
  const called = { name: calledName(name), arguments: JSON.stringify(input) ?? '{}' };
  return { id: chatCallId(id, reader), type: 'function', function: called };
}

/** Results carry text only, and must directly follow the calls: their images and files come after, as a user message. */
function toolMessages({ content }: ToolMessage, reader: Reader): readonly WireMessage[] {
  const messages: WireMessage[] = [];
  const parts: WirePart[] = [];
  for (const result of content) {
    const { toolUseId, name, output } = result;
    const id = chatCallId(toolUseId, reader);
    messages.push({ role: 'tool', tool_call_id: id, content: output.toWellFormed() });
    const media = resultMedia(result);
    if (media.length > 0) parts.push(textPart(`${mediaTitle(result)} of ${name} (${id}):`), ...media.map(userPart));
  }
  if (parts.length > 0)
    messages.push(...(reader.facts.takesUserAfterResults ? [] : [SEEN]), { role: 'user', content: parts });
  return messages;
}
