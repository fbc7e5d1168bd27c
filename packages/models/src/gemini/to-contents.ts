import type { AssistantMessage, ImageBlock, Message, ToolMessage, ToolUseBlock, UserMessage } from '@x/core';
import { type MediaBlock, mediaKind, resultMedia } from '@x/core/internal';
import { fileText } from '../content/file-text.ts';
import { mediaTitle } from '../content/media-title.ts';
import { textIn } from '../wire/json-values.ts';
import { nativeCallOf, outcomeOf } from './computer.ts';
import type { ModelTraits } from './model-traits.ts';
import { isOwnThought, partDataOf, type WirePart } from './part-data.ts';

/** One turn of a conversation. Turns of one role may follow each other. */
interface WireContent {
  readonly role: 'user' | 'model';
  readonly parts: readonly WirePart[];
}

/** Accepted instead of a signature, for calls from another provider (ai.google.dev, Thought Signatures, FAQ). */
const NO_SIGNATURE = 'skip_thought_signature_validator';
const NOT_IN_NAMES = /[^a-zA-Z0-9_.:-]/g;
const MAX_NAME = 128;
/** Ids generated here, because the service gave none. */
const MADE_HERE = /^call_[0-9a-f]{32}$/;

/** Converts one message, from nothing but the message, the model and, for results, the reply `before` with their calls. */
export function contentsOf(message: Message, traits: ModelTraits, before?: Message): readonly WireContent[] {
  if (message.role === 'user') return [userContent(message)];
  if (message.role === 'tool') return toolContents(message, traits, before);
  const parts = modelParts(message, traits);
  return parts.length > 0 ? [{ role: 'model', parts }] : [];
}

function userContent({ content }: UserMessage): WireContent {
  const parts: WirePart[] = [];
  for (const block of content) {
    if (block.type !== 'text') parts.push(mediaPart(block));
    else if (block.text !== '') parts.push({ text: block.text.toWellFormed() });
  }
  return { role: 'user', parts: parts.length > 0 ? parts : [{ text: ' ' }] }; // a content without parts, or an empty text, is refused
}

/** The parts of a reply, in order; empty when it consists of nothing but unsigned thoughts. */
function modelParts({ content, provider }: AssistantMessage, { wantsSignedCalls }: ModelTraits): readonly WirePart[] {
  const parts: WirePart[] = [];
  let signedCalls = !wantsSignedCalls;
  for (const block of content) {
    const { part, signature, call } = partDataOf(block) ?? {};
    const signed = signature === undefined ? {} : { thoughtSignature: signature };
    if (block.type === 'tool_use') {
      const dummy = signedCalls || signature !== undefined ? {} : { thoughtSignature: NO_SIGNATURE };
      signedCalls = true; // only the first call of a reply is signed
      parts.push({ functionCall: functionCall(block, call), ...signed, ...dummy });
    } else if (part) parts.push(part);
    else if (block.type === 'image') parts.push({ ...imagePart(block), ...signed });
    else if (block.text === '' && signature === undefined) continue;
    else if (block.type === 'text') parts.push({ text: block.text.toWellFormed(), ...signed });
    else if (isOwnThought(block, provider)) parts.push({ text: block.text.toWellFormed(), thought: true, ...signed });
  }
  return parts.every(isUnsignedThought) ? [] : parts;
}

function isUnsignedThought(part: WirePart): boolean {
  return part['thought'] === true && part['thoughtSignature'] === undefined;
}

/** The results in the order of the calls. */
function toolContents(
  { content }: ToolMessage,
  { takesMediaInResults }: ModelTraits,
  before: Message | undefined,
): readonly WireContent[] {
  const results: WirePart[] = [];
  const after: WirePart[] = [];
  for (const result of content) {
    const { toolUseId, name, output } = result;
    const text = output.toWellFormed();
    const media = resultMedia(result).map(mediaPart);
    const [within, behind] = takesMediaInResults
      ? [media.filter((part) => part['inlineData']), media.filter((part) => !part['inlineData'])]
      : [[], media];
    const inside = within.length > 0 ? { parts: within } : {};
    const native = nativeCallOf(toolUseId, before);
    const response = outcomeOf(native, result, text);
    const called = calledName(textIn(native?.['name']) || name);
    results.push({ functionResponse: { ...idOf(toolUseId), name: called, response, ...inside } });
    if (behind.length > 0) after.push({ text: `${mediaTitle(result)} of ${name} (${toolUseId}):` }, ...behind);
  }
  if (results.length === 0) return [];
  const contents: WireContent[] = [{ role: 'user', parts: results }];
  // separate, because there must be as many results as calls and nothing else
  if (after.length > 0) contents.push({ role: 'user', parts: after });
  return contents;
}

/** `native` is the call as the service has made it. */
function functionCall({ id, name, input }: ToolUseBlock, native: WirePart | undefined): object {
  if (native) return { ...idOf(id), name: native['name'], args: native['args'] };
  return { ...idOf(id), name: calledName(name), args: argsOf(input) };
}

/**
 * The name of a called function in the service's format, equal for call and result. Offered ones have such names; models may call others
 * (`FunctionDeclaration.name`).
 */
function calledName(name: string): string {
  const allowed = name.replace(NOT_IN_NAMES, '_') || 'unnamed';
  return (/^[a-zA-Z_]/.test(allowed) ? allowed : `_${allowed}`).slice(0, MAX_NAME);
}

/** The id of the service, which it expects with the result; calls without one are matched by their order. */
function idOf(id: string): { readonly id?: string } {
  return MADE_HERE.test(id) ? {} : { id };
}

/** Arguments are an object; anything else is an input that has failed its schema. */
function argsOf(input: unknown): unknown {
  const json = JSON.stringify(input) ?? '{}';
  const args: unknown = json.includes('\\ud') ? JSON.parse(json, wellFormed) : (input ?? {});
  return typeof args === 'object' && args !== null && !Array.isArray(args) ? args : { input: args };
}

function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

function mediaPart(block: MediaBlock): WirePart {
  if (block.type === 'image') return imagePart(block);
  const mimeType = block.mediaType.replace('audio/mpeg', 'audio/mp3'); // its name in the service's list
  if (block.type === 'link') return { fileData: { fileUri: block.url, mimeType } };
  if (mediaKind(block.mediaType) === 'text') return { text: fileText(block) };
  return { inlineData: { mimeType, data: block.data } };
}

function imagePart({ mediaType, data }: ImageBlock): WirePart {
  return { inlineData: { mimeType: mediaType, data } };
}
