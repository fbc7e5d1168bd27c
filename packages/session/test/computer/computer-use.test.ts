import { toolUsesOf } from '@x/core';
import type { WireServer } from '@x/models/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { BETA, bodiesOf, RESPONSES_API, SERVICES, TOOLSET, type Wanted } from '../support/computer-services.ts';
import { acting, computer, PNG } from '../support/computers.ts';
import { only, resultOf, toolNamed } from '../support/makers.ts';

const open: WireServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
async function acted(...[service, turns, options]: Parameters<typeof acting>) {
  const made = await acting(service, turns, { autoApprove: ['computer'], ...options });
  open.push(made.server);
  return made;
}

const CLICK = { type: 'click', button: 'left', clicks: 1, x: 100, y: 50 };
const LOOK = { type: 'screenshot' };
/** The actions of each turn; services that want a screenshot with each call get one. */
const looks = (name: string) => (name.startsWith('anthropic') ? [] : [LOOK]);

describe.each(SERVICES)('computer use of $name', (service) => {
  it('looks, clicks and ends, in the pixels of the display, and the service takes every request', async () => {
    const turns: Wanted[][] = [['look'], ['click'], ['done']];

    const { events, done, server } = await acted(service, turns);

    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Done.' });
    expect(done).toEqual([LOOK, CLICK, ...looks(service.name)]);
    expect(server.requests).toHaveLength(3);
    expect(bodiesOf(server).at(-1)).toMatchObject({ tools: expect.anything() });
    expect(server.requests.at(-1)?.body).toContain(PNG);
  });

  it('shows the call in the one vocabulary, and the log has it so', async () => {
    const { events, session } = await acted(service, [['click'], ['done']]);

    const input = { actions: [CLICK, ...looks(service.name)] };
    const calls = only(events, 'tool_use').map(({ name, input: given }) => ({ name, input: given }));
    expect(calls).toEqual([{ name: 'computer', input: expect.objectContaining(input) }]);
    const logged = session.messages.flatMap((message) => (message.role === 'assistant' ? toolUsesOf(message) : []));
    expect(logged).toMatchObject([{ name: 'computer', input }]);
  });

  it.each([
    ['unknown', /no action|must be one of|open_app/],
    ['far', /on the display/],
  ] as const)('says to the model what cannot be done, and does nothing: %s', async (wanted, words) => {
    const { events, done, server } = await acted(service, [[wanted], ['done']]);

    expect(done).toEqual([]);
    expect(only(events, 'tool_result')).toMatchObject([{ isError: true, output: expect.stringMatching(words) }]);
    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Done.' });
    expect(server.requests).toHaveLength(2);
  });

  it('goes on after an action that failed, with its error for the model', async () => {
    const { events, server } = await acted(service, [['click'], ['done']], {
      fails: ({ type }) => type === 'click',
    });

    expect(only(events, 'tool_result')).toMatchObject([
      { isError: true, output: 'actions[0] (click) failed: the window is gone; 0 before it were done' },
    ]);
    expect(resultOf(events)).toMatchObject({ content: 'Done.' });
    expect(server.requests[1]?.body).toContain('the window is gone');
  });
});

describe.each([TOOLSET, BETA])('several actions of one reply of $name', (service) => {
  it('are done in order, each with its result', async () => {
    const { done, server } = await acted(service, [['click', 'type', 'look'], ['done']]);

    expect(done).toEqual([CLICK, { type: 'type', text: 'penguin' }, LOOK]);
    expect(server.requests).toHaveLength(2);
  });

  it('end at the first that fails: the others are answered, and nobody is asked about them', async () => {
    const asked: string[] = [];
    const { events, done } = await acted(service, [['click', 'type', 'look'], ['done']], {
      fails: ({ type }) => type === 'type',
      autoApprove: [],
      canUseTool: async (_name, _input, { callId }) => {
        asked.push(callId);
        return { behavior: 'allow' };
      },
    });

    expect(done.map(({ type }) => type)).toEqual(['click', 'type']);
    expect(asked).toEqual(['toolu_0_0', 'toolu_0_1']);
    expect(only(events, 'tool_result').map(({ output }) => output)).toEqual([
      'OK',
      'actions[0] (type) failed: the window is gone; 0 before it were done',
      'Not executed: an earlier computer action in this turn failed.',
    ]);
    expect(resultOf(events)).toMatchObject({ content: 'Done.' });
  });
});

it('does the actions of one call of responses in order, and gives one screenshot', async () => {
  const { done, server } = await acted(RESPONSES_API, [['click', 'type'], ['done']]);

  expect(done).toEqual([CLICK, { type: 'type', text: 'penguin' }, LOOK]);
  expect(bodiesOf(server)[1]?.['input']).toMatchObject([
    { role: 'user' },
    { type: 'reasoning', id: 'rs_0', encrypted_content: 'c2VhbGVk' },
    { type: 'computer_call', id: 'cu_0', actions: [{ type: 'click' }, { type: 'type' }] },
    {
      type: 'computer_call_output',
      call_id: 'call_0',
      output: { type: 'computer_screenshot', image_url: `data:image/png;base64,${PNG}`, detail: 'original' },
    },
  ]);
});

it('is offered itself, whatever a search among tools finds', async () => {
  const tools = [...Array.from({ length: 3 }, (_, at) => toolNamed(`other_${at}`, async () => '')), computer().tool];

  const { server } = await acted(TOOLSET, [['done']], { tools, toolDiscovery: 'always', allowedTools: undefined! });

  const [{ tools: sent } = {}] = bodiesOf(server) as { tools?: { type?: string; name?: string }[] }[];
  const types = sent?.map(({ type, name }) => type ?? name);
  expect(types).toContain('computer_toolset_20260801');
  expect(types).not.toContain('other_0');
});
