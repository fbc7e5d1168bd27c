import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ToolResult } from '@x/core';
import {
  createMcpHub,
  type McpHub,
  type McpHubOptions,
  type McpNotice,
  type McpServerConfig,
  type McpServerStatus,
  memoryToolCache,
} from '../../src/index.ts';
import { called, folder, until } from '../../test/support/hubs.ts';
import type { Behaviour } from './behaviour.ts';

/** What is seen of a hostile server. */
export interface Facts {
  readonly hub: McpHub;
  readonly status: McpServerStatus;
  readonly tools: readonly string[];
  readonly notices: readonly McpNotice[];
  /** The result of its tool of that name, or undefined when there is none. */
  readonly call: (name: string, input?: object) => Promise<ToolResult | undefined>;
}
/** One hostile server, and what must come of it. */
export interface HostileCase {
  readonly name: string;
  readonly server: Behaviour | (() => Promise<McpServerConfig>);
  readonly config?: {
    readonly timeoutMs?: number;
    readonly connectTimeoutMs?: number;
    readonly totalTimeoutMs?: number;
    readonly trusted?: boolean;
  };
  readonly options?: Partial<McpHubOptions>;
  /** True when all is as it must be. */
  readonly holds: (facts: Facts) => boolean | Promise<boolean>;
}

const program = fileURLToPath(new URL('./raw-server.ts', import.meta.url));
/** For a machine that is busy with other things too. */
const MOST_MS = 30_000;
const PATIENCE_MS = 20_000;

/** Runs one case next to a server that behaves. */
export async function trial({ name, server, config, options, holds }: HostileCase): Promise<string[]> {
  const marker = crypto.randomUUID();
  const notices: McpNotice[] = [];
  const start = performance.now();
  const hostile = typeof server === 'function' ? await server() : raw(server);
  const hub = createMcpHub({
    servers: {
      bad: { connectTimeoutMs: 10_000, timeoutMs: 10_000, ...hostile, ...config },
      good: raw({}),
    },
    env: { MARKER: marker },
    onNotice: (notice) => notices.push(notice),
    cache: memoryToolCache(),
    reconnect: { baseMs: 20, maxMs: 100 },
    ...options,
    limits: { shutdownMs: 200, ...options?.limits },
  });
  const faults: string[] = [];
  try {
    await hub.ready();
    const facts: Facts = {
      hub,
      get status() {
        return hub.status()[0]!; // `bad` comes first
      },
      get tools() {
        return hub.tools().flatMap((tool) => (tool.name.startsWith('mcp__bad__') ? [tool.name.slice(10)] : []));
      },
      notices,
      call: async (tool, input) => {
        const found = hub.tools().find((one) => one.name === `mcp__bad__${tool}`);
        return found && (await called(found, input));
      },
    };
    if (!(await within(PATIENCE_MS, holds(facts)))) {
      const { status, error, problems } = facts.status;
      faults.push(`does not hold: ${status}, ${error}, ${facts.tools.slice(0, 5).join()}, ${JSON.stringify(problems)}`);
    }
    const good = hub.tools().find((tool) => tool.name === 'mcp__good__echo');
    if (!good || (await called(good)).output !== 'fine') faults.push('the other server cannot be used');
  } catch (error) {
    faults.push(`${name} threw ${String(error)}`);
  }
  await hub.close();
  // A process that was killed is there until the system has ended it.
  if (
    !(await within(
      10_000,
      until(() => !isLeft(marker)).then(() => true),
    ))
  )
    faults.push('a process was left');
  const tookMs = performance.now() - start;
  if (tookMs > MOST_MS) faults.push(`took ${Math.round(tookMs)} ms`);
  return faults;
}

/** What takes longer does not hold. */
async function within(waitMs: number, outcome: boolean | Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), waitMs);
  });
  const holds = await Promise.race([outcome, late]);
  clearTimeout(timer);
  return holds;
}

function raw(behaviour: Behaviour): McpServerConfig {
  const file = join(folder(), 'behaviour.json'); // a list of 5,000 tools is no argument
  writeFileSync(file, JSON.stringify(behaviour));
  return { command: process.execPath, args: ['--no-warnings', program, file] };
}

function isLeft(marker: string): boolean {
  return readdirSync('/proc').some((entry) => {
    try {
      return /^\d+$/.test(entry) && readFileSync(`/proc/${entry}/environ`, 'latin1').includes(marker);
    } catch {
      return false; // it has ended
    }
  });
}
