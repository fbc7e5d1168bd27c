/** A tool's definition as it was when it was first seen, or approved. Plain data, for whoever keeps it. */
export interface McpPin {
  readonly serverName: string;
  /** The server's name of the tool. */
  readonly name: string;
  /** SHA-256 of name, description and input schema. */
  readonly hash: string;
}

/** Pins of one server; a server that always names new tools must not fill the memory. */
const MOST_PINS = 10_000;

/** Remembers definitions, so that a tool that has changed is found. */
export class ToolPins {
  readonly #byServer = new Map<string, Map<string, string>>();
  readonly #onPin: (pin: McpPin) => void;

  constructor(pins: readonly McpPin[], onPin: (pin: McpPin) => void) {
    this.recall(pins);
    this.#onPin = onPin;
  }

  /** The tools of a server whose definition is pinned; the first one of a name is pinned by it. */
  admitted<Read extends Omit<McpPin, 'serverName'>>(serverName: string, tools: readonly Read[]): readonly Read[] {
    const pins = this.#of(serverName);
    const admitted: Read[] = [];
    for (const tool of tools) {
      const { name, hash } = tool;
      const known = pins.get(name);
      if (known === undefined && pins.size < MOST_PINS) {
        pins.set(name, hash);
        this.#onPin({ serverName, name, hash });
      } else if (known !== hash) continue;
      admitted.push(tool);
    }
    return admitted;
  }

  /** Takes pins that are kept already. True when one of them is new. */
  recall(pins: readonly McpPin[]): boolean {
    const others = pins.filter(({ serverName, name, hash }) => this.#of(serverName).get(name) !== hash);
    for (const { serverName, name, hash } of others) this.#of(serverName).set(name, hash);
    return others.length > 0;
  }

  pin(pin: McpPin): void {
    this.#of(pin.serverName).set(pin.name, pin.hash);
    this.#onPin(pin);
  }

  list(): McpPin[] {
    const all = [...this.#byServer].flatMap(([serverName, pins]) =>
      [...pins].map(([name, hash]) => ({ serverName, name, hash })),
    );
    return all.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  }

  #of(serverName: string): Map<string, string> {
    let pins = this.#byServer.get(serverName);
    if (!pins) this.#byServer.set(serverName, (pins = new Map()));
    return pins;
  }
}

function keyOf({ serverName, name }: McpPin): string {
  return `${serverName}\0${name}`;
}
