import { LONGEST_TIMER_MS } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { type McpPin, ToolPins } from './definitions/tool-pins.ts';
import type { McpHub, SessionHub } from './hub/hub-interface.ts';
import { knownTools } from './hub/known-tools.ts';
import { withLogNotices } from './hub/log-notices.ts';
import { OwnMcpHub } from './hub/mcp-hub.ts';
import { quietly } from './hub/quietly.ts';
import { ServerLink, type ServerLinkSetup } from './hub/server-link.ts';
import { type McpToolCache, sharedToolCache } from './hub/tool-cache.ts';
import type { McpNotice, McpReconnectOptions } from './hub/types.ts';
import { checkServers } from './port/check-servers.ts';
import type { McpServerConfig } from './port/config.ts';
import type { McpConnectionSetup, McpHostHandlers, McpLaunch, McpLogLevel, McpPlace } from './port/connection.ts';
import { HOST_HANDLERS, LOG_LEVEL } from './port/host-rules.ts';
import { LIMITS, limitsOf, type McpLimits } from './port/limits.ts';

export interface McpHubOptions {
  /** By name: letters and digits, with a single `_` or `-` between them. */
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  /** Where stdio servers are started. Default: that of the process. */
  readonly cwd?: string;
  /** Added to the variables that stdio servers get. */
  readonly env?: Readonly<Record<string, string>>;
  /** Pins of an earlier hub: a tool that differs from its pin waits for `approve`. */
  readonly pins?: readonly McpPin[];
  /** Called for each definition that is seen first or approved, for whoever keeps pins. */
  readonly onPin?: (pin: McpPin) => void;
  readonly onNotice?: (notice: McpNotice) => void;
  /** Tools that are offered before their server has answered. Default: one cache for this process. */
  readonly cache?: McpToolCache;
  /** Milliseconds for which a server with tools from the cache is not connected unless it is needed. Default: 0, it is connected at once. */
  readonly knownWaitMs?: number;
  readonly limits?: McpLimits;
  /** Offers `list_resources` and `read_resource` for each server that has resources. Default: false. */
  readonly resourceTools?: boolean;
  readonly reconnect?: McpReconnectOptions;
  /** What servers may ask of the host; nothing by default. */
  readonly handlers?: McpHostHandlers;
  /** Servers that log are asked for this level, and what they log from it on is a notice `mcp_log`. Default: neither. */
  readonly logLevel?: McpLogLevel;
  /** Changes how a stdio server is started, such as into a sandbox. */
  readonly launch?: (launch: McpLaunch) => McpLaunch | Promise<McpLaunch>;
}

const RECONNECT: OptionRules<McpReconnectOptions> = {
  baseMs: is.finiteMilliseconds(),
  maxMs: is.finiteMilliseconds(),
  attempts: is.countOrInfinity(0),
  pingMs: is.finiteMilliseconds(),
};
const PIN: OptionRules<McpPin> = {
  serverName: is.required(is.text),
  name: is.required(is.text),
  hash: is.required(is.text),
};
const OPTIONS: OptionRules<McpHubOptions> = {
  servers: is.required(is.recordOf(is.anything)), // `checkServers` checks them
  cwd: is.filePath,
  env: is.recordOf(is.secret(is.text)),
  pins: is.listOf(is.nested(PIN)),
  onPin: is.callback,
  onNotice: is.callback,
  cache: is.having('an McpToolCache', 'get', 'set'),
  knownWaitMs: is.finiteMilliseconds(LONGEST_TIMER_MS),
  limits: is.nested(LIMITS),
  resourceTools: is.flag,
  reconnect: is.nested(RECONNECT),
  handlers: is.nested(HOST_HANDLERS),
  logLevel: LOG_LEVEL,
  launch: is.callback,
};

/**
 * Begins to connect all servers, and waits for none: `ready` does. A server that fails is in `status`, and concerns no other.
 * @throws ValidationError for a wrong option; McpError `CONFIG_ERROR` for a wrong server
 */
export function createMcpHub(options: McpHubOptions): McpHub {
  const onPins = (pins: readonly McpPin[]) => {
    for (const pin of pins) quietly(() => options.onPin?.(pin));
  };
  return makeHub(options, { sharesTools: false, onPins });
}

/** A hub of one session. Its tools are shared with others of the process, and are to be called in runs that it serves. @throws as `createMcpHub` */
export function createSessionHub(
  options: Omit<McpHubOptions, 'onPin'>,
  onPins: (pins: readonly McpPin[]) => void,
): SessionHub {
  return makeHub(options, { sharesTools: true, onPins });
}

interface Making {
  readonly sharesTools: boolean;
  /** Is given the pins of one server at a time. */
  readonly onPins: (pins: readonly McpPin[]) => void;
}

function makeHub(options: McpHubOptions, { sharesTools, onPins }: Making): OwnMcpHub {
  checkOptions('createMcpHub options', options, OPTIONS);
  checkServers(options.servers);
  const {
    cwd = process.cwd(),
    env = {},
    cache = sharedToolCache(),
    knownWaitMs = 0,
    handlers = {},
    logLevel,
    launch,
    onNotice,
  } = options;
  const { baseMs = 500, maxMs = 30_000, attempts = 10, pingMs = 30_000 } = options.reconnect ?? {};
  const place: McpPlace = { cwd, env, launch };
  const pins = new ToolPins(options.pins ?? [], onPins);
  const notify = (notice: McpNotice) => quietly(() => onNotice?.(notice));
  const same = {
    open: async (setup: McpConnectionSetup) => await (await import('./sdk/open-connection.ts')).openConnection(setup),
    finishAuth: async (...facts: Parameters<ServerLinkSetup['finishAuth']>) =>
      await (await import('./sdk/finish-auth.ts')).finishAuth(...facts),
    place,
    handlers: withLogNotices(handlers, logLevel, notify),
    logLevel,
    limits: limitsOf(options.limits ?? {}),
    reconnect: { baseMs, maxMs, attempts, pingMs },
    pins,
    hasResourceTools: options.resourceTools === true,
    sharesTools,
    knownWaitMs,
    notify,
  };
  const names = Object.keys(options.servers).toSorted();
  const links = names.map((name): [string, ServerLink] => {
    const config = options.servers[name]!; // a key of its own
    const link = new ServerLink({ ...same, name, config, known: knownTools(config, place, cache) });
    return [name, link];
  });
  return new OwnMcpHub(new Map(links), pins);
}
