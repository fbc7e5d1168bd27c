import { defineTool, type Model, objectSchema, type Tool, userMessage } from '@x/core';
import { silentLogger } from '@x/core/internal';
import { memoryWorkspace, scriptedModel } from '@x/core/testing';
import { liveRun, memoryJournal } from '@x/executor';
import { Pipeline } from '@x/handlers';

const { warn: _, ...lacking } = silentLogger;
export const lackingLogger: object = lacking;
export const provider = { type: 'custom', createModel: (): Model => scriptedModel([{ text: 'Hi.' }]) } as const;
export const tool = defineTool({
  name: 'find',
  description: 'Finds.',
  inputSchema: objectSchema({}),
  execute: async () => '',
}) as Tool;

export class Store {}

export function aRun() {
  const facts = { sessionId: 's', runId: 'r', agentName: 'a', messageId: 'm', depth: 0 };
  return liveRun({ ...facts, signal: new AbortController().signal, journal: memoryJournal() });
}

export const runOptions = () => ({
  config: { instruction: '', tools: [], input: [userMessage('Hi.')], options: { maxTurns: 1 } },
  pipeline: new Pipeline([]),
  run: aRun(),
  model: scriptedModel([{ text: 'Hi.' }]),
  inbox: { take: async () => [], urgent: new AbortController().signal },
  workspace: memoryWorkspace(),
});
