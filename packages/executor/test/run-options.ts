import { setImmediate } from 'node:timers/promises';
import {
  type AgentHandler,
  defineTool,
  type Inbox,
  type Journal,
  type Message,
  objectSchema,
  type Tool,
  type ToolDefinition,
  type UserMessage,
  userMessage,
} from '@x/core';
import { memoryWorkspace, type Script, scriptedModel } from '@x/core/testing';
import { Pipeline } from '@x/handlers';
import { liveRun, type MemoryJournal, memoryJournal, type RunOptions } from '../src/index.ts';

export interface RunParts
  extends Partial<
    Pick<
      RunOptions,
      'maxParallelTools' | 'toolTimeout' | 'onToolTimeout' | 'maxToolOutputBytes' | 'reconcile' | 'inbox'
    >
  > {
  readonly tools?: readonly Tool[];
  /** Names of tools that end the run with their result. */
  readonly direct?: readonly string[];
  readonly handlers?: readonly AgentHandler[];
  readonly signal?: AbortSignal;
  readonly maxTurns?: number;
  readonly input?: readonly UserMessage[];
  /** What an interrupted attempt has left. */
  readonly past?: Partial<Journal['past']>;
  /** Default: a fresh one. */
  readonly journal?: MemoryJournal;
}

/** Everything one run needs, in memory: the model plays the script, nothing waits in the inbox. */
export function runOptions(script: Script, parts: RunParts = {}) {
  const {
    tools = [echo()],
    direct = [],
    handlers = [],
    signal = new AbortController().signal,
    maxTurns = 5,
    past,
  } = parts;
  const { maxParallelTools, toolTimeout, onToolTimeout, maxToolOutputBytes, reconcile } = parts;
  const journal = withPast(parts.journal ?? memoryJournal(), past);
  const model = scriptedModel(script);
  const options: RunOptions = {
    config: {
      instruction: 'Be short.',
      tools: tools.map((tool) => ({ tool, returnDirectly: direct.includes(tool.name) })),
      input: [...(parts.input ?? [userMessage('Begin.')])],
      options: { maxTurns },
    },
    pipeline: new Pipeline(handlers),
    run: liveRun({ sessionId: 's', runId: 'r', agentName: 'main', messageId: 'm', depth: 0, signal, journal }),
    model,
    inbox: parts.inbox ?? inboxOf([]).inbox,
    workspace: memoryWorkspace(),
    ...(maxParallelTools ? { maxParallelTools } : {}),
    ...(toolTimeout ? { toolTimeout } : {}),
    ...(onToolTimeout ? { onToolTimeout } : {}),
    ...(maxToolOutputBytes ? { maxToolOutputBytes } : {}),
    ...(reconcile ? { reconcile } : {}),
  };
  return { options, journal, model };
}

function withPast(journal: MemoryJournal, past: RunParts['past']): MemoryJournal {
  return past ? { ...journal, past: { ...journal.past, ...past } } : journal;
}

/** An inbox with these texts waiting; `urge` puts one more in and aborts `urgent`. */
export function inboxOf(texts: readonly string[]) {
  let waiting = texts.map(userMessage);
  let urgent = new AbortController();
  const taken: (readonly UserMessage[])[] = [];
  const inbox: Inbox = {
    async take() {
      const messages = waiting;
      waiting = [];
      if (urgent.signal.aborted) urgent = new AbortController();
      taken.push(messages);
      return messages;
    },
    get urgent() {
      return urgent.signal;
    },
  };
  const send = (text: string) => void waiting.push(userMessage(text));
  const urge = (text: string) => {
    send(text);
    urgent.abort();
  };
  return { inbox, send, urge, taken };
}

/** A tool without input; readonly unless told otherwise. */
export function toolNamed(name: string, execute: ToolDefinition['execute'], more: Partial<ToolDefinition> = {}): Tool {
  return defineTool({
    name,
    description: 'A tool of a test.',
    kind: 'readonly',
    inputSchema: objectSchema({}),
    execute,
    ...more,
  });
}

/** Says its text again. */
export function echo(more: Partial<ToolDefinition> = {}): Tool {
  const inputSchema = objectSchema({ text: { type: 'string', description: 'What to say.' } });
  return toolNamed('echo', async (input) => (input as { text: string }).text, { inputSchema, ...more });
}

/** `echo` that answers in a later turn of the event loop, so that calls beside each other are under way together. */
export function slowEcho(): Tool {
  return echo({ execute: async (input) => (await setImmediate(), (input as { text: string }).text) });
}

/** A reply that calls tools by name; `echo` says the letter of its place. */
export function calls(...names: string[]) {
  return {
    toolCalls: names.map((name, index) => ({
      id: `${name}${index}`,
      name,
      input: name === 'echo' ? { text: `${index}` } : {},
    })),
  };
}

/** What the model reads: one line a message. */
export function linesOf(messages: readonly Message[]): string[] {
  return messages.map((message) => {
    const parts = message.content.map((block) => {
      if (block.type === 'text') return block.text;
      if (block.type === 'tool_use') return `<${block.name}>`;
      return block.type === 'tool_result' ? block.output : `[${block.type}]`;
    });
    return `${message.role}: ${parts.join(' ')}`;
  });
}

/** The records of one type, in the order they were written. */
export function recordsOf<T extends MemoryJournal['records'][number]['record']['type']>(
  journal: MemoryJournal,
  type: T,
) {
  const records = journal.records.map(({ record }) => record);
  return records.filter((record): record is Extract<(typeof records)[number], { type: T }> => record.type === type);
}
