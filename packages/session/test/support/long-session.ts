import { type Message, textOf } from '@x/core';
import { type Script, type ScriptedReply, scriptedModel } from '@x/core/testing';
import {
  type CustomProvider,
  createSession,
  exportSession,
  type ISession,
  memoryStore,
  type SessionOptions,
  type SessionStore,
} from '../../src/index.ts';
import { agentsNamed, task } from './agent-scripts.ts';
import { echoTool, say } from './makers.ts';

const echo = (text: string) => ({ name: 'echo', input: { text } });
/** What the session's own agent says to the messages of `longSession`, by the text of the last one. */
const REPLIES: Readonly<Record<string, ScriptedReply>> = {
  one: { text: 'Both.', toolCalls: [echo('a'), echo('b')] },
  two: { toolCalls: [task('worker'), echo('c')] },
  three: { text: 'Once upon', hangs: true },
  'full window': { toolCalls: [echo('d')], usage: { inputTokens: 190_000 } },
  fails: { error: new Error('No service.') },
};

const script: Script = ({ messages, instruction }) => {
  const last = messages.at(-1);
  const [first] = messages;
  if (first?.role === 'user' && textOf(first).startsWith('<record>')) return { text: 'A summary.' };
  const text = last?.role === 'user' ? textOf(last) : undefined;
  if (instruction.startsWith('Be worker'))
    return last?.role === 'tool' ? { text: 'Worked.' } : { toolCalls: [echo('w')] };
  return (text === undefined ? undefined : REPLIES[text]) ?? { text: 'Done.' };
};

/** Options of `longSession` and of its forks. */
export function longOptions(store: SessionStore): SessionOptions {
  const createModel = (name: string) => scriptedModel(script, { name, contextWindow: 200_000 });
  const provider: CustomProvider = { type: 'custom', createModel };
  const tools = [echoTool()];
  return { provider, model: 'm', store, tools, agents: agentsNamed('worker'), allowedTools: ['echo', 'Task'] };
}

/**
 * A session with everything a log can hold: parallel calls, a subagent with calls of its own, a steered message, an interrupted reply, a
 * compaction, a run that failed; and every message that it has ever shown, in order.
 */
export async function longSession(store: SessionStore = memoryStore()) {
  const session = await createSession(longOptions(store));
  const shown = new Map<string, Message>();
  const see = () => {
    for (const message of session.messages) shown.set(message.id, message);
  };
  const tell = async (text: string) => {
    await say(session, text);
    see();
  };
  await tell('one');
  await steered(session);
  see();
  await interrupted(session);
  see();
  await tell('full window');
  await tell('after the summary');
  await tell('fails');
  return { session, store, shown };
}

async function steered(session: ISession): Promise<void> {
  await session.send('two');
  for await (const event of session.stream()) if (event.type === 'tool_use') await session.send(`while ${event.name}`);
}

async function interrupted(session: ISession): Promise<void> {
  await session.send('three');
  for await (const event of session.stream())
    if (event.type === 'content' && event.delta === 'Once upon') await session.send('stop', { priority: 'now' });
}

/** The export of a session as one text: equal where the log and what waits are. */
export async function exported(store: SessionStore, sessionId: string): Promise<string> {
  return (await Array.fromAsync(exportSession(sessionId, { store }))).join('');
}
