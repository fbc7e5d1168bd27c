import type { SessionStore } from '../log/session-store.ts';
import { commandDirectories } from '../options/command-directories.ts';
import type { SendOptions, SendOutcome, SessionOptions } from '../options/types.ts';
import type { UserContent } from '../options/user-content.ts';
import { Sender } from './sender.ts';

/** A session that is not open here. */
export interface Unopened {
  readonly store: SessionStore;
  readonly sessionId: string;
  readonly cwd: string;
  /** True when its run waits for an answer. */
  readonly waits: boolean;
  readonly options: Pick<SessionOptions, 'commandDirectories' | 'workspace'>;
}

/**
 * `send` without opening the session: no hook is run and no MCP server is connected, so that their prompts are texts like any other. What its
 * model reads is not known: it is said in its place what it cannot read.
 * @throws ValidationError, SessionError
 */
export async function sendUnopened(
  session: Unopened,
  text: string | readonly UserContent[],
  how: SendOptions = {},
): Promise<SendOutcome> {
  const { store, sessionId, cwd, waits, options } = session;
  const settings = { commandDirectories: await commandDirectories(options, cwd) };
  return await new Sender({ store, sessionId, settings, state: { waits }, inbox: () => undefined }).send(text, how);
}
