/** A tool's definition as it was when it was first seen, or approved. Plain data, for whoever keeps it. */
export interface McpPin {
  readonly serverName: string;
  /** The server's name of the tool. */
  readonly name: string;
  /** SHA-256 of name, description and input schema. */
  readonly hash: string;
}

type Read = Omit<McpPin, 'serverName'>;
type Hashes = ReadonlyMap<string, string>;

/** The pins of all tools of one list, as they are. */
interface ListPins {
  readonly hashes: Hashes;
  readonly pins: readonly McpPin[];
}

/** Pins of one server; a server that always names new tools must not fill the memory. */
const MOST_PINS = 10_000;

/** By list, which is of one server: sessions of a process that begin with the same list share its pins. */
const listPins = new WeakMap<readonly Read[], ListPins>();

/** Remembers definitions, so that a tool that has changed is found. */
export class ToolPins {
  /** The hashes of a whole list are shared with other sessions, so a change begins with a copy. */
  readonly #byServer = new Map<string, Hashes>();
  readonly #onPins: (pins: readonly McpPin[]) => void;

  /** @param onPins Is given pins of one server, each of another tool. A list that is frozen is the same for all who begin with it. */
  constructor(pins: readonly McpPin[], onPins: (pins: readonly McpPin[]) => void) {
    this.recall(pins);
    this.#onPins = onPins;
  }

  /** The tools of a server whose definition is pinned; the first one of a name is pinned by it. The list itself when that is all of it. */
  admitted<T extends Read>(serverName: string, tools: readonly T[]): readonly T[] {
    const pins = this.#byServer.get(serverName);
    if (pins === undefined && tools.length > 0 && tools.length <= MOST_PINS) return this.#first(serverName, tools);
    if (pins !== undefined && pins === listPins.get(tools)?.hashes) return tools;
    const seen: McpPin[] = [];
    const admitted = tools.filter(({ name, hash }) => {
      const before = pins?.get(name);
      if (before !== undefined || (pins?.size ?? 0) + seen.length >= MOST_PINS) return before === hash;
      return seen.push({ serverName, name, hash });
    });
    this.pin(serverName, seen);
    return admitted.length === tools.length ? tools : admitted;
  }

  /** Takes pins that are kept already. True when one of them is new. */
  recall(pins: readonly McpPin[]): boolean {
    const others = pins.filter(({ serverName, name, hash }) => this.#byServer.get(serverName)?.get(name) !== hash);
    for (const [serverName, some] of Map.groupBy(others, (pin) => pin.serverName)) this.#set(serverName, some);
    return others.length > 0;
  }

  /** Pins tools of one server, whatever was known of them. */
  pin(serverName: string, pins: readonly McpPin[]): void {
    if (pins.length === 0) return;
    this.#set(serverName, pins);
    this.#onPins(pins);
  }

  list(): McpPin[] {
    const all = [...this.#byServer].flatMap(([serverName, pins]) =>
      [...pins].map(([name, hash]) => ({ serverName, name, hash })),
    );
    return all.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  }

  #first<T extends Read>(serverName: string, tools: readonly T[]): readonly T[] {
    const { hashes, pins } = pinsOfList(serverName, tools);
    this.#byServer.set(serverName, hashes);
    this.#onPins(pins);
    return tools;
  }

  #set(serverName: string, pins: readonly McpPin[]): void {
    const known = new Map(this.#byServer.get(serverName));
    for (const { name, hash } of pins) known.set(name, hash);
    this.#byServer.set(serverName, known);
  }
}

function pinsOfList(serverName: string, tools: readonly Read[]): ListPins {
  let known = listPins.get(tools);
  if (!known) {
    const pins = tools.map(({ name, hash }) => Object.freeze({ serverName, name, hash }));
    known = { hashes: new Map(pins.map(({ name, hash }) => [name, hash])), pins: Object.freeze(pins) };
    listPins.set(tools, known);
  }
  return known;
}

function keyOf({ serverName, name }: McpPin): string {
  return `${serverName}\0${name}`;
}
