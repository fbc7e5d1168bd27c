import type { Question, Tool } from '@x/core';
import { objectSchema } from '@x/core';
import type { Script } from '@x/core/testing';
import { type CanUseTool, memoryStore, type SessionOptions } from '../../src/index.ts';
import { resultOf, say, scriptedSession, toolNamed } from './makers.ts';

/** The answer of a host that asks nobody now. */
export const later: CanUseTool = async () => ({ behavior: 'wait' });

/** A tool with an effect, and its executions: the call's id and its input. */
export function payTool(onPay: () => unknown = () => undefined): { readonly pay: Tool; readonly paid: string[] } {
  const paid: string[] = [];
  const inputSchema = objectSchema({ amount: { type: 'integer', description: 'How much.' } });
  const execute = async (input: unknown, { callId }: { readonly callId: string }) => {
    paid.push(`${callId} ${(input as { amount: number }).amount}`);
    await onPay();
    return 'Paid.';
  };
  return { pay: toolNamed('pay', execute, { inputSchema }), paid };
}

/** Asks to pay once, and says goodbye when that is answered. */
export const paying: Script = ({ messages }) =>
  messages.at(-1)?.role === 'tool'
    ? { text: 'Goodbye.' }
    : { toolCalls: [{ id: 'p1', name: 'pay', input: { amount: 5 } }] };

/** A session whose first run waits: its question, and all that is needed to go on elsewhere. */
export async function waitingSession(options: Partial<SessionOptions> = {}, script: Script = paying) {
  const { pay, paid } = payTool();
  const { store = memoryStore() } = options;
  const { session, model } = await scriptedSession(script, { store, tools: [pay], canUseTool: later, ...options });
  const events = await say(session, 'Pay.');
  const { questions = [] } = resultOf(events);
  const [question] = questions as readonly [Question];
  return { session, model, store, paid, pay, events, questions, question, sessionId: session.sessionId };
}
