import type { AgentEvent, RunContext, Tool } from '@x/core';
import { hasSameItems, present } from '@x/core/internal';
import type {
  McpCompletion,
  McpHub,
  McpHubOptions,
  McpItem,
  McpNotice,
  McpPin,
  McpServerConfig,
  McpServerStatus,
  McpToolInfo,
} from '@x/mcp';
import { joined, type SessionHub, sessionHub } from '@x/mcp/internal';
import type { CommandLine, SlashCommand } from '../commands/slash-command.ts';
import { withPins } from '../log/fold.ts';
import { promptCommands, promptNameOf, promptOf } from './server-prompts.ts';

type Notice = Extract<AgentEvent, { type: 'notification' }>;

export interface SessionServersOptions {
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  readonly cwd: string;
  /** Milliseconds after the start for which the first run waits for servers that are still connecting. */
  readonly startWaitMs: number;
  /** True for a tool of a server that the lists and the role of the session admit, and whose name no other tool has. Absent: for all. */
  readonly isOffered?: (toolName: string) => boolean;
  /** Changes how stdio servers are started. */
  readonly launch?: McpHubOptions['launch'];
  readonly handlers?: McpHubOptions['handlers'];
  readonly logLevel?: McpHubOptions['logLevel'];
}

/** The MCP servers of one session, from `open` to `close`. */
export class SessionServers {
  readonly #options: SessionServersOptions;
  #hub: SessionHub | undefined;
  /** The way to the first run begins with the session. */
  readonly #madeAt = performance.now();
  #all: readonly Tool[] = [];
  #offered: readonly Tool[] = [];
  /** Definitions that the log does not have yet; each list is of one server. */
  #pins: (readonly McpPin[])[] = [];
  #notices: Notice[] = [];

  constructor(options: SessionServersOptions) {
    this.#options = options;
  }

  /** Begins to connect, and waits for no server. */
  async open(pins: readonly McpPin[]): Promise<void> {
    const { servers, cwd, launch, handlers, logLevel } = this.#options;
    const options = {
      servers,
      cwd,
      pins,
      resourceTools: true,
      knownWaitMs: KNOWN_WAIT_MS,
      ...present({ launch, handlers, logLevel }),
      onNotice: (notice: McpNotice) => this.#note(notice),
    };
    this.#hub = await sessionHub(options, (seen) => void this.#pins.push(seen));
  }

  /** From now on, tools that are called in this run, or below it, reach these servers. */
  serve(run: RunContext): void {
    this.#open.serve(run);
  }

  /** Resolves when each server was tried once whose tools are not known, when the time for that is over, or with the abort. */
  async ready(signal: AbortSignal): Promise<void> {
    const timeoutMs = Math.ceil(this.#madeAt + this.#options.startWaitMs - performance.now());
    if (timeoutMs <= 0) return;
    await this.#hub?.ready({ timeoutMs, signal, unknownOnly: true }).catch(() => undefined); // the run ends by its own look at the signal
  }

  /** The tools that are offered now; the same list while nothing has changed. */
  tools(): readonly Tool[] {
    const all = this.#open.tools();
    if (all === this.#all) return this.#offered;
    this.#all = all;
    const { isOffered } = this.#options;
    if (!isOffered) return (this.#offered = all);
    const now = all.filter(({ name }) => isOffered(name));
    if (!hasSameItems(now, this.#offered)) this.#offered = now;
    return this.#offered;
  }

  /** The tools that were offered last. */
  get offered(): readonly Tool[] {
    return this.#offered;
  }

  status(): McpServerStatus[] {
    return this.#open.status();
  }

  listTools(): McpToolInfo[] {
    return this.#open.listTools();
  }

  /** @throws McpError */
  connect(serverName: string): Promise<void> {
    return this.#open.connect(serverName);
  }

  /** @throws McpError */
  disconnect(serverName: string): Promise<void> {
    return this.#open.disconnect(serverName);
  }

  /** @throws McpError */
  reconnect(serverName: string): Promise<void> {
    return this.#open.reconnect(serverName);
  }

  /** @throws McpError */
  approve(serverName: string, name?: string): void {
    this.#open.approve(serverName, name);
  }

  /** @throws McpError, AbortError */
  readResource(...of: Parameters<McpHub['readResource']>): Promise<readonly McpItem[]> {
    return this.#open.readResource(...of);
  }

  /** Resolves with what ends it. @throws McpError, AbortError */
  subscribe(...of: Parameters<McpHub['subscribe']>): Promise<() => Promise<void>> {
    return this.#open.subscribe(...of);
  }

  /** The prompt may be named as its command. @throws ValidationError, McpError, AbortError */
  async complete(...[server, request, options]: Parameters<McpHub['complete']>): Promise<McpCompletion> {
    const prompt = await promptNameOf(request.prompt, { hub: this.#open, server, ...present({ options }) });
    return await this.#open.complete(server, { ...request, ...present({ prompt }) }, options);
  }

  /** The prompts of the servers that can be connected in as much time as the first run has for that. */
  async commands(): Promise<SlashCommand[]> {
    await this.#open.ready({ timeoutMs: this.#options.startWaitMs });
    return await promptCommands(this.#open);
  }

  /** Asks for the prompt that a command names; undefined when it names no server. */
  promptOf(line: CommandLine): ReturnType<typeof promptOf> {
    return promptOf(line, { hub: this.#open, servers: Object.keys(this.#options.servers) });
  }

  /** Takes what the log has of other objects of the session; what was seen or approved here, and is not recorded yet, stays. */
  recall(pins: readonly McpPin[]): void {
    const isOpen = (pin: McpPin) =>
      this.#pins.flat().some((own) => own.serverName === pin.serverName && own.name === pin.name);
    this.#open.recall(this.#pins.length === 0 ? pins : pins.filter((pin) => !isOpen(pin)));
  }

  /** Definitions that the log does not have, the last one of each tool; removes them. The same frozen list for sessions that begin with the same tools. */
  takePins(): readonly McpPin[] {
    const lists = this.#pins.splice(0).toSorted(byServer); // servers connect in any order
    const servers = new Set(lists.map((list) => list[0]?.serverName));
    return servers.size === lists.length ? joined(lists) : withPins([], lists.flat());
  }

  /** Gives back what could not be recorded. */
  returnPins(pins: readonly McpPin[]): void {
    this.#pins.unshift(...Map.groupBy(pins, ({ serverName }) => serverName).values());
  }

  /** What no run has told yet. */
  get notices(): readonly Notice[] {
    return this.#notices;
  }

  /** What has happened since the last look; removes it. */
  takeNotices(): readonly Notice[] {
    return this.#notices.splice(0);
  }

  async close(): Promise<void> {
    await this.#hub?.close();
  }

  get #open(): SessionHub {
    if (!this.#hub) throw new Error('The servers were not opened');
    return this.#hub;
  }

  /** What people should know: tools that were left out or have changed, servers that cannot be used, and what servers log. */
  #note({ kind, message, status }: McpNotice): void {
    if (kind === 'mcp_tools') return; // the next model call has them
    if (kind === 'mcp_status' && status !== 'error') return;
    if (this.#notices.push({ type: 'notification', kind, message }) > MOST_NOTICES) this.#notices.shift();
  }
}

function byServer([one]: readonly McpPin[], [other]: readonly McpPin[]): number {
  const [name, otherName] = [one!.serverName, other!.serverName]; // no list is empty
  return name === otherName ? 0 : name < otherName ? -1 : 1;
}

/** The start of a session is not the time for what can wait; soon after it the lists of before are looked at. */
const KNOWN_WAIT_MS = 1_000;
/** A server that fails again and again must not fill the memory. */
const MOST_NOTICES = 100;
