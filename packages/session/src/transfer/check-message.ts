import { type AssistantMessage, type UserMessage, ValidationError } from '@x/core';

/** An object whose fields are unchecked. */
export type Fields = Readonly<Record<string, unknown>>;

const USER_BLOCKS = ['text', 'image'];
const REPLY_BLOCKS = ['text', 'thinking', 'tool_use'];
const STOP_REASONS = ['end', 'tool_use', 'length', 'refusal', 'interrupted'];

/** Checks a message from outside. @throws ValidationError */
export function checkMessage(value: unknown, what: string): asserts value is UserMessage | AssistantMessage {
  const message = fieldsOf(value, what);
  const { role, id } = message;
  checkTexts(message, ['id', 'createdAt'], what);
  if (id === '') refuse(`${what}.id is empty`);
  if (role === 'user') return checkBlocks(message['content'], USER_BLOCKS, what);
  if (role !== 'assistant') refuse(`${what}.role must be user or assistant`);
  checkTexts(message, ['provider', 'model'], what);
  if (!STOP_REASONS.includes(message['stopReason'] as string))
    refuse(`${what}.stopReason must be one of ${STOP_REASONS.join(', ')}`);
  checkUsage(message['usage'], `${what}.usage`);
  checkBlocks(message['content'], REPLY_BLOCKS, what);
}

/** Checks the usage of a model call. @throws ValidationError */
export function checkUsage(value: unknown, what: string): void {
  const usage = fieldsOf(value, what);
  for (const key of [
    'inputTokens',
    'outputTokens',
    'totalTokens',
    'cacheReadTokens',
    'cacheWriteTokens',
    'reasoningTokens',
  ]) {
    const count = usage[key];
    if (count === undefined && key !== 'inputTokens' && key !== 'outputTokens' && key !== 'totalTokens') continue;
    if (typeof count !== 'number' || !Number.isFinite(count)) refuse(`${what}.${key} must be a number`);
  }
}

/** @throws ValidationError unless the fields of these names are texts */
export function checkTexts(fields: Fields, names: readonly string[], what: string): void {
  for (const name of names) if (typeof fields[name] !== 'string') refuse(`${what}.${name} must be a text`);
}

/** @throws ValidationError unless it is an object */
export function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(`${what} must be an object`);
  return value as Fields; // safe: checked above
}

/** Checks pictures from outside. @throws ValidationError */
export function checkImages(value: unknown, what: string): void {
  if (!Array.isArray(value)) refuse(`${what} must be a list`);
  for (const image of value as readonly unknown[]) checkTexts(fieldsOf(image, what), ['mediaType', 'data'], what);
}

export function refuse(message: string): never {
  throw new ValidationError(message);
}

function checkBlocks(content: unknown, types: readonly string[], what: string): void {
  if (!Array.isArray(content)) refuse(`${what}.content must be a list`);
  for (const [index, value] of (content as readonly unknown[]).entries()) {
    const where = `${what}.content[${index}]`;
    const block = fieldsOf(value, where);
    const { type } = block;
    if (typeof type !== 'string' || !types.includes(type)) refuse(`${where}.type must be one of ${types.join(', ')}`);
    if (type === 'image') checkTexts(block, ['mediaType', 'data'], where);
    else if (type === 'tool_use') checkTexts(block, ['id', 'name'], where);
    else checkTexts(block, ['text'], where);
    if (block['providerData'] !== undefined)
      checkTexts(fieldsOf(block['providerData'], `${where}.providerData`), ['provider'], `${where}.providerData`);
  }
}
