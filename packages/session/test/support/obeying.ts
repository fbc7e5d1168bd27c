import { expect, onTestFinished } from 'vitest';
import { createSession, memoryStore, resumeSession, type SessionOptions } from '../../src/index.ts';
import { only, resultOf, say, scriptedProvider } from './makers.ts';

export type Call = { readonly name: string; readonly input?: object };

/** A session whose model makes the calls it is told, as JSON, one after the other. */
export async function obeying(options: Partial<SessionOptions> & { readonly sessionId?: string }) {
  const { provider, models } = scriptedProvider(({ messages }) => {
    const asked = messages.findLast((message) => message.role === 'user')!;
    const [block] = asked.content;
    const calls: Call[] = JSON.parse(block?.type === 'text' ? block.text : '[]');
    const call = calls[(messages.length - 1 - messages.lastIndexOf(asked)) / 2];
    return call ? { toolCalls: [{ name: call.name, input: call.input ?? {} }] } : { text: 'Done.' };
  });
  const { sessionId, ...more } = options;
  const usual = { store: memoryStore(), permissionMode: 'bypassPermissions', mcpStartWait: 45_000 } as const;
  const all = { provider, model: 'm', ...usual, ...more };
  const session = sessionId === undefined ? await createSession(all) : await resumeSession({ ...all, sessionId });
  onTestFinished(() => session.close());
  const offered = (call: number) => {
    const { tools = [] } = models[0]?.requests.at(call) ?? {};
    return tools.map(({ name }) => name).filter((name) => name.startsWith('mcp__'));
  };
  const ask = async (...calls: readonly Call[]) => {
    const events = await say(session, JSON.stringify(calls));
    expect(resultOf(events).subtype).toBe('success');
    return only(events, 'tool_result').map(({ output, isError }) => (isError ? `! ${output}` : output));
  };
  return { session, ask, offered, models };
}
export const echoed = (text: string): Call => ({ name: 'mcp__own__echo', input: { text } });
