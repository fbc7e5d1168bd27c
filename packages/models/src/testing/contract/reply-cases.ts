import assert from 'node:assert/strict';
import { type AgentEvent, type AssistantMessage, type Model, textOf, toolUsesOf } from '@x/core';
import { type ContractCase, collect } from '@x/core/testing';
import type { ModelContractOptions } from './contract-options.ts';
import { contractOutputFormat, contractRequest, contractTools } from './contract-request.ts';
import { messageOf, servedCases } from './served-case.ts';

/** Cases about the message made from a reply. */
export function replyCases(options: ModelContractOptions): readonly ContractCase[] {
  const { streams } = options;
  const served = servedCases(options);
  const tools = contractTools();
  return [
    served(
      'yields text, and returns the message that the deltas add up to',
      { body: streams.text },
      async (model, { requests }) => {
        const { events, value } = await collect(model.stream(contractRequest()));
        assert.notEqual(textOf(value), '');
        assert.equal(joined(events, 'content'), textOf(value));
        assert.equal(value.stopReason, 'end');
        assert.equal(value.usage.totalTokens, value.usage.inputTokens + value.usage.outputTokens);
        assert.equal(value.usage.estimated, undefined);
        assert.deepEqual([value.provider, value.model, requests.length], [model.provider, model.name, 1]);
      },
    ),
    served('returns a call with its input parsed', { body: streams.call }, async (model) => {
      const message = await messageOf(model, { tools });
      const [call] = toolUsesOf(message);
      assert.equal(call?.name, 'echo');
      assert.equal(typeof call?.input, 'object');
      assert.equal(message.stopReason, 'tool_use');
    }),
    served(
      'returns parallel calls in order, each with an id of its own',
      { body: streams.parallelCalls },
      async (model) => {
        const calls = toolUsesOf(await messageOf(model, { tools }));
        assert.equal(calls.length, 2);
        assert.equal(new Set(calls.map((call) => call.id)).size, 2);
      },
    ),
    served('says that the length limit ended a reply', { body: streams.length }, async (model) => {
      assert.equal((await messageOf(model)).stopReason, 'length');
    }),
    served('says that a reply is a refusal', { body: streams.refusal }, async (model) => {
      assert.equal((await messageOf(model)).stopReason, 'refusal');
    }),
    ...optionalReplyCases(options),
  ];
}

function optionalReplyCases(options: ModelContractOptions): readonly ContractCase[] {
  const served = servedCases(options);
  const { thinking, callWithoutArguments, cacheUsage, structured } = options.streams;
  const all: readonly (readonly [stream: string | undefined, name: string, check: (model: Model) => Promise<void>])[] =
    [
      [thinking, 'streams thinking, and keeps it before the text', checkThinking],
      [callWithoutArguments, 'gives a call without arguments an empty input', checkEmptyInput],
      [cacheUsage, 'counts cached tokens as input, and shows them', checkCacheUsage],
      [structured, 'returns an answer of a given form as text that is JSON', checkStructured],
    ];
  return all.flatMap(([body, name, check]) => (body === undefined ? [] : [served(name, { body }, check)]));
}

async function checkThinking(model: Model): Promise<void> {
  const { events, value } = await collect(model.stream(contractRequest()));
  assert.notEqual(joined(events, 'thinking'), '', 'no thinking was streamed');
  assert.equal(joined(events, 'thinking'), thinkingOf(value));
  assert.equal(joined(events, 'content'), textOf(value));
  for (const order of [events.map(isThinking), value.content.map(isThinking)]) {
    assert.ok(order.includes(false) && order.indexOf(true) < order.indexOf(false), 'thinking is not before the text');
  }
}

async function checkEmptyInput(model: Model): Promise<void> {
  const message = await messageOf(model, { tools: contractTools() });
  const calls = toolUsesOf(message).map(({ name, input }) => [name, input]);
  assert.deepEqual(calls, [['now', {}]]);
  assert.equal(message.stopReason, 'tool_use');
}

async function checkCacheUsage(model: Model): Promise<void> {
  const { usage } = await messageOf(model);
  const { cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  assert.ok(cacheReadTokens > 0, 'no cached tokens are shown');
  assert.ok(usage.inputTokens >= cacheReadTokens + cacheWriteTokens, 'the input lacks the cached tokens');
  assert.equal(usage.totalTokens, usage.inputTokens + usage.outputTokens);
}

async function checkStructured(model: Model): Promise<void> {
  const { events, value } = await collect(model.stream(contractRequest({ outputFormat: contractOutputFormat() })));
  assert.deepEqual([toolUsesOf(value).length, value.stopReason], [0, 'end']);
  const answer: unknown = JSON.parse(textOf(value));
  assert.ok(typeof answer === 'object' && answer !== null, 'the answer is not an object');
  assert.equal(joined(events, 'content'), textOf(value));
}

/** The deltas of one kind. */
export function joined(events: readonly AgentEvent[], type: 'content' | 'thinking'): string {
  return events.map((event) => (event.type === type ? event.delta : '')).join('');
}

/** The thinking of a message. */
export function thinkingOf({ content }: AssistantMessage): string {
  return content.map((block) => (block.type === 'thinking' ? block.text : '')).join('');
}

function isThinking({ type }: { readonly type: string }): boolean {
  return type === 'thinking';
}
