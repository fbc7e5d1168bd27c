import { defineTool, type Model, objectSchema, silentLogger, type Tool, userMessage } from '@x/core';
import { memoryWorkspace, scriptedModel } from '@x/core/testing';
import { liveRun, memoryJournal } from '@x/executor';
import { Pipeline } from '@x/handlers';

export const { warn: _warn, ...lackingLogger } = silentLogger;
export const provider = { type: 'custom', createModel: (): Model => scriptedModel([{ text: 'Hi.' }]) } as const;
export const tool = defineTool({
  name: 'find',
  description: 'Finds.',
  inputSchema: objectSchema({}),
  execute: async () => '',
}) as Tool;

/** A logger, a model and the like, given as the class, as a function that makes one, and without what it needs. */
export class Store {}
export const notOnes = [class Made {}, () => ({}), {}, 'x', null];

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
