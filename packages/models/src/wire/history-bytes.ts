import type { Message } from '@x/core';
import type { RequestFormat, WireObject } from './request-format.ts';
import { foundIn } from './tool-searches.ts';

const FIRST_CAPACITY = 2048;
/** A UTF-16 code unit takes at most this many bytes in UTF-8. */
const BYTES_PER_UNIT = 3;
const NO_HEAD = Buffer.alloc(0);

/** A wire object in the list of messages; an open one lacks its end. */
interface Last {
  readonly role: string | undefined;
  readonly isOpen: boolean;
}
const NOTHING: Last = { role: undefined, isOpen: false };

/** The part of a body before the history; the same object as long as its bytes are the same. */
export interface Head {
  readonly bytes: Buffer;
  /** The text between it and the first message: the list's bracket, or a comma after the instruction. */
  readonly link: '[' | ',';
}
/** A body being sent. Its bytes stay unchanged at least until it is given back. */
export interface LentBody {
  readonly bytes: Buffer;
  /** Marks the bytes as no longer read. If never called, the next body is written to its own buffer. */
  readonly giveBack: () => void;
}

/**
 * The bodies of one conversation in one growing buffer: head, messages, tail. Messages are immutable, so those that are the same objects as
 * last time are not serialised again, and a body is lent as a view. An object that the next may be merged with is left open: its end is
 * written with whatever follows it. While one is lent, the next is written to a copy: changing bytes under
 * a socket that reads them would be corruption.
 */
export class HistoryBytes {
  #buffer: Buffer = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
  #head: Buffer = NO_HEAD;
  readonly #messages: Message[] = [];
  /** The end of the message with the same index, from the end of the head. */
  readonly #ends: number[] = [];
  /** The last wire object up to the message with the same index. */
  readonly #lasts: Last[] = [];
  /** Names of tools that searches of the service have found; undefined without a search. */
  #found: Set<string> | undefined;
  /** Bodies of the present buffer that were not given back. */
  #lent = 0;
  readonly #format: Pick<RequestFormat, 'messages' | 'merged'>;

  constructor(format: Pick<RequestFormat, 'messages' | 'merged'>) {
    this.#format = format;
  }

  lend({ bytes: head, link }: Head, messages: readonly Message[]): LentBody {
    if (this.#lent > 0) this.#move(this.#buffer.length);
    if (head !== this.#head) this.#placeHead(head);
    const kept = commonLength(messages, this.#messages);
    this.#messages.length = kept;
    this.#ends.length = kept;
    this.#lasts.length = kept;
    for (let index = kept; index < messages.length; index++) this.#append(messages[index]!); // index < length
    const bytes = this.#close(link);
    const buffer = this.#buffer;
    this.#lent++;
    return { bytes, giveBack: () => void (buffer === this.#buffer && this.#lent--) };
  }

  /** The names of tools that searches of the service in its messages have found; undefined without a search. */
  get found(): ReadonlySet<string> | undefined {
    return this.#found;
  }

  #length(): number {
    return this.#ends.at(-1) ?? 0;
  }

  #append(message: Message): void {
    const end = this.#length();
    const found = foundIn(message);
    if (found) this.#found = new Set([...(this.#found ?? []), ...found]);
    let last = this.#last();
    let text = '';
    for (const wire of this.#format.messages(message, last.role, this.#messages.at(-1))) {
      const next = this.#joined(wire, last);
      text += next.text;
      last = next.last;
    }
    const written = text === '' ? 0 : this.#write(text, this.#head.length + end);
    this.#messages.push(message);
    this.#ends.push(end + written);
    this.#lasts.push(last);
  }

  #last(): Last {
    return this.#lasts.at(-1) ?? NOTHING;
  }

  /** The text of a wire object behind another. */
  #joined(wire: WireObject, { isOpen }: Last): { readonly text: string; readonly last: Last } {
    const { merged } = this.#format;
    const role = typeof wire.role === 'string' ? wire.role : undefined;
    const json = JSON.stringify(wire);
    if (!merged || !json.startsWith(merged.start) || !json.endsWith(merged.end)) {
      return { text: `${isOpen && merged ? merged.end : ''},${json}`, last: { role, isOpen: false } };
    }
    const text = json.slice(isOpen ? merged.start.length : 0, -merged.end.length);
    return { text: `,${text}`, last: { role, isOpen: true } };
  }

  /** Writes the part after the messages, and returns the whole body. */
  #close(link: Head['link']): Buffer {
    const start = this.#head.length;
    const length = this.#length();
    const tail = `${this.#last().isOpen ? (this.#format.merged?.end ?? '') : ''}${length === 0 && link === '[' ? '[' : ''}]}`;
    const end = start + length + this.#write(tail, start + length);
    if (length > 0) this.#write(link, start);
    return this.#buffer.subarray(0, end);
  }

  #placeHead(head: Buffer): void {
    const start = this.#head.length;
    const length = this.#length();
    if (head.length + length > this.#buffer.length) this.#move(head.length + length);
    if (length > 0) this.#buffer.copyWithin(head.length, start, start + length);
    this.#buffer.set(head, 0);
    this.#head = head;
  }

  /** Writes text; returns the number of bytes. */
  #write(text: string, at: number): number {
    if (at + text.length * BYTES_PER_UNIT > this.#buffer.length) {
      const needed = at + Buffer.byteLength(text);
      if (needed > this.#buffer.length) this.#move(Math.max(needed, this.#buffer.length * 2));
    }
    return this.#buffer.write(text, at, 'utf8');
  }

  #move(capacity: number): void {
    const larger = Buffer.allocUnsafeSlow(capacity);
    this.#buffer.copy(larger, 0, 0, this.#head.length + this.#length());
    this.#buffer = larger;
    this.#lent = 0;
  }
}

/** The number of messages with which both begin. Apart from the class: a private field takes as long as the comparison. */
function commonLength(one: readonly Message[], other: readonly Message[]): number {
  const most = Math.min(one.length, other.length);
  let index = 0;
  while (index < most && one[index] === other[index]) index++;
  return index;
}
