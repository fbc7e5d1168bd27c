import type { Message } from '@x/core';
import { type ModelApi, type Reads, readsOf } from '../content/readable.ts';
import { readableMessages } from '../content/reply-pictures.ts';
import type { ProviderConfig } from './provider-config.ts';
import type { RequestFormat } from './request-format.ts';

/** Says which parts of messages the model `name` of a provider reads, as far as it is known. */
export function modelReads(config: ProviderConfig, name: string): Reads {
  return readsOf(apiOf(config), name);
}

/** Blocks that every model reads. */
const TEXTS: ReadonlySet<string> = new Set(['text', 'thinking', 'tool_use']);

/** The same format for messages in which a text stands for each part that the model does not read. */
export function readableFormat(format: RequestFormat, reads: Reads): RequestFormat {
  const { keepsPicture: keeps } = format;
  return {
    ...format,
    messages(message, roleBefore, before) {
      if (isText(message)) return format.messages(message, roleBefore, before); // nearly always
      let role = roleBefore;
      return readableMessages(message, { reads, keeps }).flatMap((part) => {
        const wires = format.messages(part, role, before);
        role = textOr(wires.at(-1)?.role, role);
        return wires;
      });
    },
  };
}

function isText({ content }: Message): boolean {
  for (const block of content) {
    if (block.type === 'tool_result' ? block.images || block.files : !TEXTS.has(block.type)) return false;
  }
  return true;
}

function textOr(value: unknown, otherwise: string | undefined): string | undefined {
  return typeof value === 'string' ? value : otherwise;
}

function apiOf(config: ProviderConfig): ModelApi {
  if (config.type === 'anthropic' || config.type === 'gemini') return config.type;
  return config.api === 'responses' ? 'responses' : 'chat';
}
