import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import type { Script } from '@x/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { echoTool, say, scriptedSession } from '../support/makers.ts';

/** Registered globally, as a host would. */
function registered() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return () => exporter.getFinishedSpans();
}
afterEach(() => {
  trace.disable();
  context.disable();
});

/** `name < parent`, in the order in which the spans have ended. */
function tree(spans: readonly ReadableSpan[]): string[] {
  const names = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
  return spans.map(({ name, parentSpanContext }) => `${name} < ${names.get(parentSpanContext?.spanId ?? '') ?? '-'}`);
}

const helper = { name: 'helper', description: 'Helps.' };
const script: Script = ({ messages }) => {
  if (messages.at(-1)?.role === 'tool') return { text: 'A secret.' };
  if (JSON.stringify(messages[0]).includes('Help.')) {
    return { toolCalls: [{ name: 'echo', input: { text: 'a secret' } }] };
  }
  const input = { subagent_type: 'helper', description: 'Help', prompt: 'Help.' };
  return { toolCalls: [{ name: 'Task', input }] };
};

describe('a tracer provider that the host has registered', () => {
  it('gets the spans of a run, its calls and its subagents, nested and without a word of the content', async () => {
    const finished = registered();
    const { session } = await scriptedSession(script, {
      tools: [echoTool()],
      allowedTools: ['Task', 'echo'],
      agents: [helper],
    });

    await say(session, 'My secret.');

    expect(tree(finished())).toEqual([
      'chat scripted < invoke_agent main',
      'chat scripted < invoke_agent helper',
      'execute_tool echo < invoke_agent helper',
      'chat scripted < invoke_agent helper',
      'invoke_agent helper < execute_tool Task',
      'execute_tool Task < invoke_agent main',
      'chat scripted < invoke_agent main',
      'invoke_agent main < -',
    ]);
    const exported = finished().map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
    expect(JSON.stringify(exported)).not.toContain('secret');
  });

  it('is found when it is registered after the session was made, and missed by nobody when there is none', async () => {
    const { session } = await scriptedSession(() => ({ text: 'Hi.' }));
    await say(session, 'Before.');
    const finished = registered();

    await say(session, 'After.');

    expect(tree(finished())).toEqual(['chat scripted < invoke_agent main', 'invoke_agent main < -']);
  });
});
