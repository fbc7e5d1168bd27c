import type { AssistantMessage, ThinkingBlock, Tool, ToolUseBlock } from '@x/core';
import { displayIn } from '../wire/computer-calls.ts';
import { recordOf } from '../wire/json-values.ts';
import { sourcesIn } from '../wire/sources.ts';
import { isTooDeep, jsonText, newCallId, toolInput, withoutDeepFields } from '../wire/tool-input.ts';
import { type Carried, carried, type Fields, type PartList, partsOf, textKeyOf, textOfPart } from './carried-item.ts';
import { filesOf } from './code-files.ts';
import { COMPUTER_CALL, computerCall } from './computer.ts';
import { pictureOf } from './image-calls.ts';
import { serviceToolStep } from './service-tools.ts';

type Block = AssistantMessage['content'][number];

/** Calls of tools that no request offers, which the client would have to answer. */
const UNANSWERABLE = new Set([
  'custom_tool_call',
  COMPUTER_CALL,
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'mcp_approval_request',
]);

interface ReplyOptions {
  readonly cut: boolean;
  /** The tools of the request. */
  readonly tools?: readonly Tool[];
}

/**
 * Converts the items of a response to blocks, in order: one for each part with text, so that nothing is joined that the service kept apart.
 * `cut` means that the response was ended early.
 */
export function replyBlocks(items: readonly Fields[], { cut, tools = [] }: ReplyOptions): Block[] {
  const blocks: Block[] = [];
  for (const [index, item] of items.entries()) {
    const type = item['type'];
    if (type === 'function_call') blocks.push(callBlock(item, cut));
    else if (type === COMPUTER_CALL && displayIn(tools)) blocks.push(computerCall(item, cut));
    else if (type === 'message')
      blocks.push(...partBlocks(item, isAside(item, items.slice(index)) ? 'thinking' : 'text', ['content']));
    else if (type === 'reasoning') blocks.push(...partBlocks(item, 'thinking', ['summary', 'content']));
    else if (typeof type === 'string' && !isUnanswered(item, items) && !isTooDeep(item))
      blocks.push(...opaque(item, items));
  }
  return blocks;
}

/**
 * True for a commentary before an answer in the same response, which is not part of the answer (`phase` of a message). One before a call,
 * or at the end, is the text of the reply.
 */
function isAside(item: Fields, following: readonly Fields[]): boolean {
  if (!isCommentary(item)) return false;
  const next = following.find((other) => isCall(other) || isAnswer(other));
  return next?.['type'] === 'message';
}

/** True for a call that the host answers. */
export function isCall({ type }: Fields): boolean {
  return type === 'function_call' || type === COMPUTER_CALL;
}

/** True for a message that its model calls a commentary. */
export function isCommentary({ phase }: Fields): boolean {
  return phase === 'commentary';
}

function isAnswer(item: Fields): boolean {
  const isSaid = partsOf(item, 'content').some((part) => textOfPart(part) !== '');
  return item['type'] === 'message' && !isCommentary(item) && isSaid;
}

/** True for a call without an answer, which the service refuses when sent back; some calls it answers itself, in the same response. */
function isUnanswered(item: Fields, items: readonly Fields[]): boolean {
  const type = String(item['type']);
  if (!UNANSWERABLE.has(type) && !(type === 'tool_search_call' && item['execution'] === 'client')) return false;
  return !items.some((other) => String(other['type']).endsWith('_output') && other['call_id'] === item['call_id']);
}

function partBlocks(item: Fields, type: 'text' | 'thinking', lists: readonly PartList[]): Block[] {
  const emptied = Object.fromEntries(lists.filter((list) => Array.isArray(item[list])).map((list) => [list, []]));
  const shell = withoutDeepFields({ ...item, ...emptied });
  const blocks: Block[] = [];
  for (const list of lists) {
    const parts = item[list];
    if (!Array.isArray(parts)) continue;
    for (const value of parts) {
      const whole = recordOf(value);
      if (!whole) continue;
      const part = withoutDeepFields(whole);
      const start = blocks.length === 0 ? { item: shell } : {};
      const text = textOfPart(part);
      const key = textKeyOf(part);
      if (text === '' || key === undefined) blocks.push(silent({ ...start, list, part }));
      else {
        const found = type === 'text' && Array.isArray(part['annotations']) ? sourcesIn(part['annotations']) : {};
        blocks.push({ type, text, ...found, providerData: carried({ ...start, list, part: withoutText(part, key) }) });
      }
    }
  }
  return blocks.length === 0 ? [silent({ item: shell })] : blocks;
}

/** The part without its text. Its list of token probabilities repeats the text, and is long. */
function withoutText(part: Fields, key: 'text' | 'refusal'): Fields {
  return { ...part, [key]: '', ...(Array.isArray(part['logprobs']) ? { logprobs: [] } : {}) };
}

function callBlock(item: Fields, cut: boolean): ToolUseBlock {
  const text = argumentsOf(item);
  const { status } = item;
  const input = toolInput(text, (cut && status !== 'completed') || status === 'in_progress' || status === 'incomplete');
  const id = stringOf(item['call_id']) || stringOf(item['id']) || newCallId();
  // raw only when the input would be serialised differently
  const raw = typeof input === 'string' || JSON.stringify(input) === text ? '' : text;
  const providerData = carried({ item: withoutDeepFields({ ...item, call_id: id, arguments: raw }) });
  return { type: 'tool_use', id, name: stringOf(item['name']), input, providerData };
}

/** The arguments of a call as JSON; some servers send the object itself. */
export function argumentsOf(item: Fields): string {
  const given = item['arguments'];
  if (typeof given === 'string') return given;
  return typeof given === 'object' && given !== null ? jsonText(given) : '';
}

/** An item that only the service reads, with the files or the picture that it has made. */
function opaque(item: Fields, items: readonly Fields[]): Block[] {
  const made = pictureOf(item);
  if (made) return [silent({ item: made.call }, item), made.picture];
  const block = silent({ item });
  const files = filesOf(item, items);
  return [block.serviceTool && files.files ? { ...block, serviceTool: { ...block.serviceTool, ...files } } : block];
}

/** A block with content for the service only. */
function silent(facts: Carried, whole = facts.item): ThinkingBlock {
  const serviceTool = whole && serviceToolStep(whole);
  return { type: 'thinking', text: '', ...(serviceTool ? { serviceTool } : {}), providerData: carried(facts) };
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
