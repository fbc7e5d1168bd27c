import type { AssistantMessage, ImageBlock, Message, ToolMessage, ToolUseBlock, UserMessage } from '@x/core';
import { resultMedia } from '@x/core/internal';
import { calledName, callIdWithin, hidesSignature } from '../wire/call-id.ts';
import { toolInput } from '../wire/tool-input.ts';
import { carriedOf, type Fields, type PartList, partsOf, textKeyOf, textOfPart } from './carried-item.ts';
import { asForeign, COMPUTER_CALL, computerCalls, computerOutput, wentWell } from './computer.ts';
import { addPicture, withPictures } from './image-calls.ts';
import { textPart, userPart } from './input-parts.ts';
import { isReasoningModel } from './reasoning-models.ts';
import { textKindOf } from './text-events.ts';

type Item = Record<string, unknown>;
type Block = AssistantMessage['content'][number];

/** The service refuses longer ids, of calls and of items, even its own. */
const MAX_ID = 64;

interface InputOptions {
  /** The message before: of results, the reply with their calls. */
  readonly before?: Message | undefined;
  /** The model has computer use. */
  readonly hasComputer?: boolean;
}

/** One message as items of the input. */
export function inputItems(
  message: Message,
  model: string,
  { before, hasComputer = false }: InputOptions = {},
): readonly object[] {
  if (message.role === 'user') return [userItem(message)];
  // a reply that acts on a display is written with its results, on which its form depends
  if (message.role === 'assistant') return computerCalls(message).length > 0 ? [] : itemsOfReply(message, model);
  const calls = before?.role === 'assistant' ? computerCalls(before) : [];
  if (before?.role !== 'assistant' || calls.length === 0) return resultItems(message, model);
  const items = itemsOfReply(before, model);
  const isWhole = items.filter(({ type }) => type === COMPUTER_CALL).length === calls.length;
  if (hasComputer && isWhole && wentWell(calls, message)) return [...items, ...resultItems(message, model, calls)];
  return [...itemsOfReply(asForeign(before), model), ...resultItems(message, model)];
}

/** A model that does not reason refuses the reasoning of others. */
function itemsOfReply(reply: AssistantMessage, model: string): Item[] {
  const takes = reply.model === model ? 'own' : isReasoningModel(model) && 'foreign';
  return withoutStrays(replyItems(reply, model), takes);
}

function userItem({ content }: UserMessage): Item {
  const [only] = content;
  const item = { type: 'message', role: 'user' };
  if (content.length === 0) return { ...item, content: '' };
  if (content.length === 1 && only?.type === 'text') return { ...item, content: only.text.toWellFormed() };
  return { ...item, content: content.map(userPart) };
}

/** The results of `shown` calls have a form of their own. */
function resultItems({ content }: ToolMessage, model: string, shown: readonly ToolUseBlock[] = []): readonly Item[] {
  return content.map((result) => {
    const { toolUseId, output } = result;
    const screenshot = computerOutput(result, shown, callIdOf(toolUseId, model));
    if (screenshot) return screenshot;
    const text = output.toWellFormed();
    const media = resultMedia(result);
    const parts = [...(text === '' ? [] : [textPart(text)]), ...media.map(userPart)];
    return {
      type: 'function_call_output',
      call_id: callIdOf(toolUseId, model),
      output: media.length === 0 ? text : parts,
    };
  });
}

const NEW_CALL = { type: 'function_call', call_id: '' };

/** The items of a reply; for a foreign one its text and its calls. */
function replyItems({ content }: AssistantMessage, model: string): Item[] {
  const items: Item[] = [];
  for (const block of content) {
    const { item, list, part } = carriedOf(block) ?? {};
    if (item) items.push(block.type === 'tool_use' ? callItem(item, block, model) : emptied(item));
    const last = items.at(-1);
    if (block.type === 'image') {
      addPicture(last, block);
      continue;
    }
    // the item may have been removed, and then the one before it is another
    const open = list && isPartOf(last, part, block) ? last[list] : undefined;
    if (part && Array.isArray(open)) open.push(withText(part, block.type === 'tool_use' ? '' : block.text));
    else if (!item && block.type === 'tool_use') items.push(callItem(NEW_CALL, block, model));
    else if (!item && block.type === 'text') addText(items, block.text);
  }
  return withPictures(items);
}

/** True for a picture that goes back in the call that has made it. */
export function keepsPicture({ data }: ImageBlock, reply: AssistantMessage, model: string): boolean {
  return itemsOfReply(reply, model).some(({ result }) => result === data);
}

/** True for an item that a part belongs to: by the type of the part, as one without text is a silent block in messages too. */
function isPartOf(item: Item | undefined, part: Fields | undefined, { type }: Block): item is Item {
  const wanted = textKindOf(part?.['type'])?.item ?? (type === 'text' ? 'message' : undefined);
  return item !== undefined && (wanted === undefined || item['type'] === wanted);
}

/** A mutable copy. */
function emptied(item: Fields): Item {
  const copy: Item = { ...item };
  for (const list of ['summary', 'content'] satisfies PartList[]) if (Array.isArray(copy[list])) copy[list] = [];
  return copy;
}

/** The part with its text; the order of fields is kept, so that the bytes are the same as received. */
function withText(part: Fields, text: string): Fields {
  const key = textKeyOf(part);
  return key === undefined ? part : { ...part, [key]: text.toWellFormed() };
}

/** A call with the id that its result has; with its raw arguments, if they are still its input. */
function callItem(item: Fields, { id, name, input }: ToolUseBlock, model: string): Item {
  if (item['type'] === COMPUTER_CALL) return { ...item, call_id: callIdOf(id, model) };
  const text = JSON.stringify(input) ?? '{}';
  const raw = item['arguments'];
  const isSame = typeof raw === 'string' && raw !== '' && JSON.stringify(toolInput(raw, true)) === text;
  const called = { call_id: callIdOf(id, model), name: calledName(name) };
  return { ...item, ...called, arguments: isSame ? raw : text };
}

function callIdOf(id: string, model: string): string {
  return hidesSignature(id, model) ? id : callIdWithin(MAX_ID, id);
}

function addText(items: Item[], text: string): void {
  if (text === '') return;
  const last = items.at(-1);
  // text without an item of its own
  if (last?.['role'] === 'assistant' && typeof last['content'] === 'string') last['content'] += text.toWellFormed();
  else items.push({ type: 'message', role: 'assistant', content: text.toWellFormed() });
}

/**
 * Leaves out reasoning that the service could not read, or that nothing follows. Items refer to the reasoning before them by their ids: an
 * item after a gap goes without its id, or not at all when it is only a reference to the server's state.
 */
function withoutStrays(items: readonly Item[], takes: 'own' | 'foreign' | false): Item[] {
  const end = items.findLastIndex((item) => item['type'] !== 'reasoning');
  const kept: Item[] = [];
  let gap = false;
  for (const [index, item] of items.entries()) {
    const type = item['type'];
    if (type === 'reasoning') {
      if (takes && index < end && isReadable(item)) kept.push(takes === 'own' ? item : withoutStatus(item));
      else gap = true;
    } else if (!gap) kept.push(item);
    else if (type === 'message' || type === 'function_call') kept.push(withoutId(item));
  }
  return kept.map((item) => (isTooLong(item['id']) ? withoutId(item) : item));
}

function isTooLong(id: unknown): boolean {
  return typeof id === 'string' && id.length > MAX_ID;
}

/** True when an item contains its reasoning: encrypted, signed, or as text. Nothing is stored on the server. */
function isReadable(item: Item): boolean {
  const isSealed = [item['encrypted_content'], item['signature']].some(
    (seal) => typeof seal === 'string' && seal !== '',
  );
  return isSealed || partsOf(item, 'content').some((part) => textOfPart(part) !== '');
}

/** Removes the id. A message without one is not recognised as the service's own, and only those have a status. */
function withoutId({ id: _id, ...item }: Item): Item {
  return item['type'] === 'message' ? withoutStatus(item) : item;
}

/** OpenAI refuses the status of reasoning, which other services send. */
function withoutStatus({ status: _status, ...item }: Item): Item {
  return item;
}
