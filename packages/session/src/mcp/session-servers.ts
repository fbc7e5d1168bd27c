import type { AgentEvent, Tool } from '@x/core';
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
import type { CommandLine, SlashCommand } from '../commands/slash-command.ts';
import { promptCommands, promptNameOf, promptOf } from './server-prompts.ts';

type Notice = Extract<AgentEvent, { type: 'notification' }>;

export interface SessionServersOptions {
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  readonly cwd: string;
  /** Milliseconds after the start for which the first run waits for servers that are still connecting. */
  readonly startWaitMs: number;
  /** True for a tool of a server that the lists and the role of the session admit, and whose name no other tool has. */
  readonly isOffered: (toolName: string) => boolean;
  /** Changes how stdio servers are started. */
  readonly launch?: McpHubOptions['launch'];
  readonly handlers?: McpHubOptions['handlers'];
  readonly logLevel?: McpHubOptions['logLevel'];
}

/** The MCP servers of one session, from `open` to `close`. */
export class SessionServers {
  readonly #options: SessionServersOptions;
  #hub: McpHub | undefined;
  /** The way to the first run begins with the session. */
  readonly #madeAt = performance.now();
  #all: readonly Tool[] = [];
  #offered: readonly Tool[] = [];
  /** Definitions that the log does not have yet. */
  #pins: McpPin[] = [];
  #notices: Notice[] = [];

  constructor(options: SessionServersOptions) {
    this.#options = options;
  }

  /** Begins to connect, and waits for no server. */
  async open(pins: readonly McpPin[]): Promise<void> {
    const { servers, cwd, launch, handlers, logLevel } = this.#options;
    const { createMcpHub } = await import('@x/mcp'); // not before somebody has servers
    this.#hub = createMcpHub({
      servers,
      cwd,
      pins,
      resourceTools: true,
      knownWaitMs: KNOWN_WAIT_MS,
      ...present({ launch, handlers, logLevel }),
      onPin: (pin) => void this.#pins.push(pin),
      onNotice: (notice) => this.#note(notice),
    });
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
    const now = all.filter(({ name }) => this.#options.isOffered(name));
    if (!hasSameItems(now, this.#offered)) this.#offered = now;
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
      this.#pins.some((own) => own.serverName === pin.serverName && own.name === pin.name);
    this.#open.recall(pins.filter((pin) => !isOpen(pin)));
  }

  /** Definitions that the log does not have; removes them. */
  takePins(): readonly McpPin[] {
    return this.#pins.splice(0);
  }

  /** Gives back what could not be recorded. */
  returnPins(pins: readonly McpPin[]): void {
    this.#pins.unshift(...pins);
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

  get #open(): McpHub {
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

/** The start of a session is not the time for what can wait; soon after it the lists of before are looked at. */
const KNOWN_WAIT_MS = 1_000;
/** A server that fails again and again must not fill the memory. */
const MOST_NOTICES = 100;
