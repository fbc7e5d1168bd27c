import { type ForkOptions, forkSession, type SessionStore } from '../../src/index.ts';
import { scriptedProvider } from './makers.ts';

/** A fork whose model says `Forked.`, and that model. */
export async function forked(store: SessionStore, sessionId: string, more: Partial<ForkOptions> = {}) {
  const { provider, models } = scriptedProvider(() => ({ text: 'Forked.' }));
  const session = await forkSession({ provider, model: 'm', store, sessionId, allowedTools: [], ...more });
  return { session, model: models[0]! };
}

/** What each message says. */
export const textsOf = (session: { readonly messages: readonly { readonly content: readonly object[] }[] }) =>
  session.messages.map(({ content }) => content.map((block) => ('text' in block ? block.text : '')).join(''));
