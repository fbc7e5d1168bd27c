import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type AgentConfig, userMessage, ValidationError } from '@x/core';
import { present } from '@x/core/internal';
import { liveRun, memoryJournal } from '@x/executor';
import { type CopiedCheckpoints, SessionCheckpoints } from './checkpoints/session-checkpoints.ts';
import { defaultStorePath } from './host/home.ts';
import { requireNode } from './host/node-version.ts';
import type { SessionStore } from './log/session-store.ts';
import { commandDirectories } from './options/command-directories.ts';
import type { SessionOptions } from './options/types.ts';
import { assemble, type Settings, settingsFor } from './run/assemble.ts';
import { sessionSandbox } from './run/session-sandbox.ts';
import type { Session } from './session.ts';
import { sqliteStore } from './store/sqlite-store.ts';

/** Opens a session with the host's store, or the default one, which is closed when that fails. @throws AgentError `UNSUPPORTED_NODE` */
export async function withStore(
  options: Pick<SessionOptions, 'store'>,
  make: (store: SessionStore, ownsStore: boolean) => Promise<Session>,
): Promise<Session> {
  requireNode();
  const ownsStore = options.store === undefined;
  const store = options.store ?? sqliteStore({ path: defaultStorePath() });
  try {
    return await make(store, ownsStore);
  } catch (error) {
    if (ownsStore) await store[Symbol.asyncDispose]();
    throw error;
  }
}

interface SettingsPlace {
  readonly sessionId: string;
  readonly path: string;
  readonly store: SessionStore;
  /** Checkpoints to begin with. */
  readonly copied?: CopiedCheckpoints;
}

/** The options as a session keeps them, with its working directory. @throws ValidationError, AuthenticationError, SandboxUnavailableError */
export async function settingsAt(
  options: SessionOptions,
  { sessionId, path, store, copied }: SettingsPlace,
): Promise<Settings> {
  const cwd = resolve(path);
  if (!options.workspace && !isDirectory(cwd)) {
    throw new ValidationError(`cwd ${cwd} is not a directory; make it first, or name another`, 'cwd');
  }
  const found = {
    sessionId,
    cwd: options.workspace?.cwd ?? cwd,
    commandDirectories: await commandDirectories(options, cwd),
    ...present({ sandbox: await sessionSandbox(options, { cwd, store }) }),
    ...present({ checkpoints: checkpointsAt(options, { sessionId, cwd, store }) }),
  };
  const settings = settingsFor(options, found);
  if (options.validateHandlers) await tryHandlers(settings);
  await settings.checkpoints?.begin(copied);
  return settings;
}

/** Looks at once, as the doors to files do: a thread of the pool takes ten times as long. */
function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function checkpointsAt(
  { enableFileCheckpointing }: SessionOptions,
  { store, ...place }: { readonly sessionId: string; readonly cwd: string; readonly store: SessionStore },
): SessionCheckpoints | undefined {
  return enableFileCheckpointing ? new SessionCheckpoints({ ...place, leaveOut: store.files ?? [] }) : undefined;
}

/** Runs every `beforeAgent` once on a configuration that is thrown away. */
async function tryHandlers(settings: Settings): Promise<void> {
  const { pipeline, tools, instruction } = assemble(settings);
  const config: AgentConfig = {
    instruction,
    tools: tools.map((tool) => ({ tool, returnDirectly: false })),
    input: [userMessage('')],
    options: { maxTurns: settings.maxTurns },
  };
  const ids = { sessionId: 'validation', runId: 'validation', messageId: config.input[0]!.id };
  const signal = new AbortController().signal;
  const run = liveRun({ ...ids, agentName: 'main', depth: 0, signal, journal: memoryJournal() });
  try {
    await pipeline.beforeAgent(config, run);
  } finally {
    await pipeline.runEnded({ subtype: 'aborted' }, run);
  }
}
