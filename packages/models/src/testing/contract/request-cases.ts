import assert from 'node:assert/strict';
import { type AssistantMessage, type Message, toolUsesOf, userMessage } from '@x/core';
import { toolMessage } from '@x/core/internal';
import { type ContractCase, collect } from '@x/core/testing';
import type { ModelContractOptions } from './contract-options.ts';
import { contractRequest, contractTools } from './contract-request.ts';
import { type CompleteStream, completeStreams } from './contract-stream.ts';
import { CONTRACT_KEY, messageOf, type Served, servedCases } from './served-case.ts';

const INSTRUCTION = 'contract-instruction-0815';
const FIRST = 'contract-first-message';

/** Cases about messages in the next request. */
export function requestCases(options: ModelContractOptions): readonly ContractCase[] {
  const served = servedCases(options);
  const complete = completeStreams(options.streams);
  return [
    ...complete.map((stream) => roundTrip(served, stream)),
    stableHead(served, options.streams.text),
    separateBodies(served, options.streams.text),
  ];
}

function roundTrip(served: Served, { name, body, asked }: CompleteStream): ContractCase {
  return served(`${name}: returns plain JSON that goes back as it is`, { body }, async (model, { requests }) => {
    const first = userMessage('Hello');
    const { events, value } = await collect(model.stream(contractRequest({ ...asked, messages: [first] })));
    const copy = JSON.parse(JSON.stringify(value)) as AssistantMessage; // safe: the same, as is asserted
    assert.deepEqual(copy, value);
    assert.ok(!JSON.stringify([events, value]).includes(CONTRACT_KEY), 'the reply shows the key');
    for (const reply of [value, copy]) await messageOf(model, { ...asked, messages: answered(first, reply) });
    const [, before, after] = requests.map((request) => request.body);
    assert.equal(typeof JSON.parse(before ?? ''), 'object');
    assert.equal(after, before, 'a message that came back from JSON is sent in another way');
  });
}

function answered(first: Message, reply: AssistantMessage): readonly Message[] {
  const results = toolUsesOf(reply).map(() => ({ output: 'done', isError: false }));
  return [
    first,
    reply,
    ...(results.length > 0 ? [toolMessage(reply, results)] : []),
    { ...userMessage('More'), id: 'm' },
  ];
}

function stableHead(served: Served, body: string): ContractCase {
  const name = 'begins every request of a conversation with the same bytes: tools, instruction, first message';
  return served(name, { body }, async (model, { requests }) => {
    const tools = contractTools();
    const messages: Message[] = [userMessage(FIRST)];
    for (let turn = 1; turn <= 4; turn++) {
      const reply = await messageOf(model, { instruction: INSTRUCTION, tools, messages: [...messages] });
      messages.push(reply, userMessage(`turn ${turn}`));
    }
    const bodies = requests.map((request) => request.body);
    bodies.slice(1).forEach((later, index) => {
      const before = bodies[index] ?? '';
      const shared = before.slice(0, commonLength(before, later));
      for (const part of [INSTRUCTION, FIRST, ...tools.map((tool) => tool.description)]) {
        assert.ok(shared.includes(part), `request ${index + 2} differs from the one before it ahead of "${part}"`);
      }
    });
  });
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

/** Two sessions that share a beginning, with bodies so large that both are being sent at once. */
function separateBodies(served: Served, body: string): ContractCase {
  const name = 'keeps two conversations apart that share their beginning and their time';
  return served(name, { body, chunkBytes: 64 }, async (model, { requests }) => {
    const first = userMessage('x'.repeat(500_000));
    const speakers = ['left', 'right'];
    const histories = speakers.map(() => [first] as Message[]);
    for (let turn = 1; turn <= 4; turn++) {
      await Promise.all(
        speakers.map(async (speaker, index) => {
          const history = histories[index] ?? [];
          history.push(userMessage(`${speaker}-${turn}`));
          history.push(await messageOf(model, { messages: [...history] }));
        }),
      );
    }
    const said = requests.map((request) => request.body.match(/(?:left|right)-\d/g) ?? []);
    const expected = speakers.flatMap((speaker) =>
      [1, 2, 3, 4].map((turn) => Array.from({ length: turn }, (_, index) => `${speaker}-${index + 1}`)),
    );
    for (const request of requests) JSON.parse(request.body);
    assert.deepEqual(said.map(String).toSorted(), expected.map(String).toSorted());
  });
}
