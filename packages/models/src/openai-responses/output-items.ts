import type { ToolInputTeller } from '../wire/tool-input-teller.ts';
import { type Fields, type PartList, partsOf, textOfPart } from './carried-item.ts';
import { argumentsOf, isCommentary } from './reply-blocks.ts';

/** An event of a streamed response, unchecked. */
export interface WireEvent {
  readonly type?: unknown;
  readonly sequence_number?: unknown;
  readonly item_id?: unknown;
  readonly output_index?: unknown;
  readonly content_index?: unknown;
  readonly summary_index?: unknown;
  readonly delta?: unknown;
  readonly text?: unknown;
  readonly refusal?: unknown;
  readonly arguments?: unknown;
  readonly name?: unknown;
  readonly item?: unknown;
  readonly part?: unknown;
  readonly response?: unknown;
  readonly error?: unknown;
}
/** The kind of a text for its reader; of a commentary it is known only later whether it belongs to the answer. */
export type Says = 'content' | 'thinking' | 'commentary';
/** The kind and place of an event's text. */
export interface TextKind {
  readonly item: 'message' | 'reasoning';
  readonly list: PartList;
  readonly part: 'output_text' | 'refusal' | 'reasoning_text' | 'summary_text';
}
interface OpenPart {
  readonly list: PartList;
  readonly position: number;
  readonly type: string;
  readonly says: Says;
  text: string;
}
interface OpenItem {
  readonly index: number;
  fields: Fields;
  readonly parts: OpenPart[];
  arguments: string;
  /** All arguments were received. */
  argumentsDone: boolean;
  done: boolean;
}

const LISTS = ['summary', 'content'] as const;

/** Collects the items of a streamed response. Repetitions count once, and text missing from the deltas is added from later events. */
export class OutputItems {
  readonly #items: OpenItem[] = [];
  readonly #byIndex = new Map<number, OpenItem[]>();
  /** Items begun without an index. */
  readonly #loose: OpenItem[] = [];
  /** By all ids that they have had. */
  readonly #byId = new Map<unknown, OpenItem>();
  /** The part that the text of the last event was added to; an equal event adds to the same one, until items change. */
  #last: { readonly event: WireEvent; readonly part: OpenPart } | undefined;
  readonly #say: (says: Says, text: string) => void;
  readonly #tellsInput: ToolInputTeller | undefined;

  /** `say` is called with all text that is new; `tellsInput` gets each piece of a call's arguments. */
  constructor(say: (says: Says, text: string) => void, tellsInput?: ToolInputTeller) {
    this.#say = say;
    this.#tellsInput = tellsInput;
  }

  /** True when there are items and all have ended. */
  get areComplete(): boolean {
    return this.#items.length > 0 && this.#items.every((item) => item.done);
  }

  /** Adds an item as it is at its beginning or, `done`, at its end. */
  put(event: WireEvent, fields: Fields, done: boolean): void {
    const known = this.#same(event, fields, done);
    if (known?.done) return;
    this.#last = undefined;
    const open = known ?? this.#open(event, fields);
    if (done) open.fields = fields;
    this.#name(open, fields);
    open.done = done;
    open.arguments = argumentsOf(fields) || open.arguments;
    const type = fields['type'];
    if (type === 'message') this.#putParts(open, 'content', fields);
    else if (type === 'function_call') this.#tell(open, '');
    else if (type === 'reasoning') for (const list of LISTS) this.#putParts(open, list, fields);
  }

  /** Adds a piece of text. */
  add(event: WireEvent, kind: TextKind, delta: string): void {
    let last = this.#last;
    if (last?.event !== event) this.#last = last = { event, part: this.#part(event, kind) };
    last.part.text += delta;
    this.#say(last.part.says, delta);
  }

  /** Adds the complete text of a part. */
  complete(event: WireEvent, kind: TextKind, text: string): void {
    this.#whole(this.#part(event, kind), text);
  }

  addArguments(event: WireEvent, delta: string): void {
    const open = this.#of(event, 'function_call');
    open.arguments += delta;
    this.#tell(open, delta);
  }

  #tell(open: OpenItem, piece: string): void {
    const { call_id: id, name } = open.fields;
    this.#tellsInput?.add(open, { id, name }, piece);
  }

  completeArguments(event: WireEvent): void {
    const open = this.#of(event, 'function_call');
    open.arguments = argumentsOf({ arguments: event.arguments }) || open.arguments;
    open.argumentsDone = true;
    if (!open.done && typeof event.name === 'string') open.fields = { name: event.name, ...open.fields };
  }

  /** The items in order, as the service ended them or as they were streamed. */
  built(): Fields[] {
    return this.#items.toSorted((one, other) => one.index - other.index).map(itemOf);
  }

  #part(event: WireEvent, kind: TextKind): OpenPart {
    return partOf(this.#of(event, kind.item), kind.list, positionOf(event, kind.list), kind.part);
  }

  #putParts(open: OpenItem, list: PartList, fields: Fields): void {
    partsOf(fields, list).forEach((part, position) => {
      const text = textOfPart(part);
      if (text !== '') this.#whole(partOf(open, list, position, String(part['type'])), text);
    });
  }

  #whole(part: OpenPart, text: string): void {
    if (text.startsWith(part.text)) this.#say(part.says, text.slice(part.text.length));
    part.text = text;
  }

  /** The item that an event belongs to. On some servers ids change from event to event, on others they are missing. */
  #of(event: WireEvent, type: string): OpenItem {
    const { item_id: id, output_index: index } = event;
    const ofType = (open: OpenItem) => open.fields['type'] === type;
    return (
      (isName(id) ? this.#byId.get(id) : undefined) ??
      this.#at(index).findLast(ofType) ??
      this.#open(event, { ...(isName(id) ? { id } : {}), type, ...(type === 'message' ? { role: 'assistant' } : {}) })
    );
  }

  /** The item already received that is the same as this one. */
  #same({ output_index: index }: WireEvent, fields: Fields, done: boolean): OpenItem | undefined {
    const candidates = this.#at(index).filter((open) => open.fields['type'] === fields['type']);
    const named = candidates.findLast(
      (open) => shares(open.fields, fields, 'id') || shares(open.fields, fields, 'call_id'),
    );
    if (named) return named;
    const waiting = candidates.filter((open) => !open.done);
    const unnamed = waiting.findLast(({ fields: known }) => {
      if (done) return !isName(known['call_id']) || !isName(fields['call_id']);
      return nameOf(known) === undefined || nameOf(fields) === undefined;
    });
    if (unnamed || !done || typeof index !== 'number') return unnamed;
    // all ids may have changed on the way: then it is the first that waits here
    return waiting.find(({ fields: known }) => known['name'] === fields['name']);
  }

  /** The items that may be at an index; all of them without an index. */
  #at(index: unknown): readonly OpenItem[] {
    if (typeof index !== 'number') return this.#items;
    const here = this.#byIndex.get(index) ?? [];
    return this.#loose.length === 0 ? here : [...this.#loose.filter((open) => !open.done), ...here];
  }

  #name(open: OpenItem, fields: Fields): void {
    for (const name of [fields['id'], fields['call_id']]) if (isName(name)) this.#byId.set(name, open);
  }

  #open({ output_index: index }: WireEvent, fields: Fields): OpenItem {
    const place = typeof index === 'number' ? index : this.#items.length;
    const open: OpenItem = { index: place, fields, parts: [], arguments: '', argumentsDone: false, done: false };
    this.#items.push(open);
    this.#last = undefined;
    const here = this.#byIndex.get(place);
    if (typeof index !== 'number') this.#loose.push(open);
    else if (here) here.push(open);
    else this.#byIndex.set(place, [open]);
    this.#name(open, fields);
    return open;
  }
}

/** The finished item, completed from the deltas. */
function itemOf(open: OpenItem): Fields {
  const { fields, parts, done, arguments: streamed } = open;
  const item: Record<string, unknown> = { ...fields };
  if (!done && item['status'] === 'in_progress') delete item['status']; // it is over, though nobody has said so
  if (item['type'] === 'function_call') {
    const text = argumentsOf(fields) || streamed;
    // nothing says that it has no arguments
    const isHalf = text === '' && !done && !open.argumentsDone && fields['status'] !== 'completed';
    return { ...item, ...(isHalf ? { status: 'incomplete' } : {}), arguments: text };
  }
  if (item['type'] === 'reasoning' && !done) item['summary'] ??= [];
  for (const list of LISTS) {
    const said = parts.filter((part) => part.list === list).toSorted((one, other) => one.position - other.position);
    const isSilent = partsOf(fields, list).every((part) => textOfPart(part) === '');
    if (said.length > 0 && isSilent) item[list] = said.map(wirePart);
  }
  return item;
}

function wirePart({ type, text }: OpenPart): Fields {
  if (type === 'refusal') return { type, refusal: text };
  return type === 'output_text' ? { type, annotations: [], text } : { type, text };
}

function partOf(open: OpenItem, list: PartList, position: number, type: string): OpenPart {
  const isIt = (part: OpenPart) =>
    part.position === position && part.list === list && (part.type === 'refusal') === (type === 'refusal');
  const last = open.parts.at(-1);
  if (last && isIt(last)) return last;
  const known = open.parts.find(isIt);
  if (known) return known;
  const part: OpenPart = { list, position, type, says: saysOf(open.fields), text: '' };
  open.parts.push(part);
  return part;
}

function saysOf(fields: Fields): Says {
  if (fields['type'] === 'reasoning') return 'thinking';
  return isCommentary(fields) ? 'commentary' : 'content';
}

function positionOf({ content_index: content, summary_index: summary }: WireEvent, list: PartList): number {
  const position = list === 'content' ? content : summary;
  return typeof position === 'number' ? position : 0;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function nameOf(fields: Fields): string | undefined {
  return [fields['id'], fields['call_id']].find(isName);
}

function shares(one: Fields, other: Fields, key: string): boolean {
  return isName(one[key]) && one[key] === other[key];
}
