import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, objectSchema, toolUsesOf } from '@x/core';
import { type ScriptedReply, scriptedModel } from '@x/core/testing';
import type { SessionOptions } from '../../src/index.ts';
import type { Acknowledgement } from './acknowledgements.ts';

/** What a busy session has told, and which one it was. */
export type Told = Acknowledgement & { readonly sessionId: string };

/** Rounds of calls in a run, and runs in a session. */
const ROUNDS = 2;
export const RUNS = 4;
/** A line for each booking: the session and the call. */
export const BOOKED = 'booked.log';

/** A session without end: each message is answered by two rounds of calls, with an effect, a file and, where it is asked for, a command, and a text. */
export function busyOptions(cwd: string, { commands = false } = {}): SessionOptions {
  const inputSchema = objectSchema({ item: { type: 'string', description: 'Which one.' } });
  const book = defineTool({
    name: 'book',
    description: 'Books an item; twice is once too often.',
    inputSchema,
    execute: async ({ item }, { sessionId, callId }) => {
      appendFileSync(join(cwd, BOOKED), `${sessionId} ${callId}\n`);
      await sleep(2);
      return `Booked ${item}.`;
    },
  });
  return {
    provider: { type: 'custom', createModel: () => scriptedModel(({ messages }) => replyTo(messages, commands)) },
    model: 'busy',
    cwd,
    tools: [book],
    permissionMode: 'bypassPermissions',
  };
}

type Messages = Parameters<Exclude<Parameters<typeof scriptedModel>[0], readonly unknown[]>>[0]['messages'];

/** Follows from the messages alone, so that another process can go on. */
function replyTo(messages: Messages, commands: boolean): ScriptedReply {
  const usage = { inputTokens: messages.length };
  const start = messages.findLastIndex(({ role }) => role === 'user');
  const rounds = messages.slice(start).filter((one) => one.role === 'assistant' && toolUsesOf(one).length > 0).length;
  if (rounds >= ROUNDS) return { text: ['Done.'], usage };
  const id = (index: number) => `m${messages.length}c${index}`;
  const write = { file_path: `written/${id(1)}`, content: `Written by ${id(1)}.\n` };
  const toolCalls = [
    { id: id(0), name: 'book', input: { item: id(0) } },
    { id: id(1), name: 'Write', input: write },
  ];
  const command = { id: id(2), name: 'Bash', input: { command: `sleep 0.05 && echo ${id(2)} >> commands.log` } };
  return { text: ['One moment.'], toolCalls: commands ? [...toolCalls, command] : toolCalls, usage };
}
