import type { AgentHandler } from '@x/core';
import type { Script } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { echoTool, only, read, resultOf, say, shownTo } from '../support/makers.ts';
import { expiring, resumed } from '../support/resumed.ts';
import { fits, made, outputFormat, structured } from '../support/structured-session.ts';

describe('a session with an outputFormat', () => {
  it('asks again in turns of their own, and shows them', async () => {
    const { session, model } = await made([{ text: 'Hello.' }, { text: '{"summary":"s"}' }, { text: fits }]);

    const events = await say(session, 'Begin.');

    expect(only(events, 'turn_start').map(({ turn }) => turn)).toEqual([1, 2, 3]);
    expect(only(events, 'user_message').map(({ content }) => content)).toEqual([
      'Begin.',
      expect.stringContaining('The answer is not JSON'),
      expect.stringContaining('- confidence: Invalid input: expected number, received undefined'),
    ]);
    expect(shownTo(model, 2).slice(0, 3)).toEqual([
      'user: Begin.',
      'assistant: Hello.',
      expect.stringContaining('user: Your answer was not accepted'),
    ]);
    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: fits, structured });
    expect(session.messages).toHaveLength(6);
  });

  it('ends with OUTPUT_INVALID after two repairs, and goes on with the next message', async () => {
    const { session } = await made(['a', 'b', 'c', fits].map((text) => ({ text })));

    const events = await say(session, 'Begin.');
    const next = await say(session, 'Once more.');

    expect(only(events, 'turn_start')).toHaveLength(3);
    expect(only(events, 'error')).toMatchObject([{ code: 'OUTPUT_INVALID' }]);
    expect(resultOf(events)).toMatchObject({ subtype: 'error', error: expect.stringContaining('not JSON') });
    expect(resultOf(events)).not.toHaveProperty('structured');
    expect(resultOf(next)).toMatchObject({ subtype: 'success', structured });
  });

  it('ends with OUTPUT_INVALID at once when the model refuses', async () => {
    const { session, model } = await made([{ text: 'I cannot help with that.', stopReason: 'refusal' }]);

    const events = await say(session, 'Begin.');

    expect(only(events, 'error')).toMatchObject([
      { code: 'OUTPUT_INVALID', message: 'The model refused to answer: I cannot help with that.' },
    ]);
    expect(model.requests).toHaveLength(1);
  });

  it('counts repairs as turns', async () => {
    const { session } = await made([{ text: 'a' }, { text: 'b' }, { text: fits }], { maxTurns: 2 });

    const events = await say(session, 'Begin.');

    expect(resultOf(events)).toMatchObject({ subtype: 'max_turns', content: 'b' });
    expect(resultOf(events)).not.toHaveProperty('structured');
  });

  it('shows handlers of the host what is asked for, and lets them change the reply before it is judged', async () => {
    const seen: unknown[] = [];
    const mending: AgentHandler = {
      name: 'mending',
      wrapModelCall: (request, next) => (seen.push(request.outputFormat?.name), next(request)),
      afterModelRewriteHistory(messages) {
        const reply = messages.at(-1)!;
        return [...messages.slice(0, -1), { ...reply, content: [{ type: 'text', text: fits }] } as typeof reply];
      },
    };
    const { session } = await made([{ text: 'Hello.' }], { handlers: [mending] });

    const events = await say(session, 'Begin.');

    expect(seen).toEqual(['AnalysisResult']);
    expect(resultOf(events)).toMatchObject({ structured });
  });

  it('lets Stop hooks come first: an answer that is not the last is not judged', async () => {
    const told: unknown[] = [];
    const { session } = await made([{ text: 'In words.' }, { text: 'x' }, { text: fits }], {
      hooks: {
        Stop: [
          {
            hooks: [
              async ({ final_response, stop_hook_active }) => {
                told.push([final_response, stop_hook_active]);
                return final_response === 'In words.' ? { continue: true, continueReason: 'Look again.' } : {};
              },
            ],
          },
        ],
        UserPromptSubmit: [{ hooks: [async ({ user_prompt }) => (told.push(user_prompt), {})] }],
      },
    });

    const events = await say(session, 'Begin.');

    expect(told).toEqual(['Begin.', ['In words.', false], ['x', true], [fits, true]]);
    expect(only(events, 'user_message').map(({ content }) => content)).toEqual([
      'Begin.',
      'Look again.',
      expect.stringContaining('not JSON'),
    ]);
    expect(resultOf(events)).toMatchObject({ structured });
  });

  it('does not judge an answer that a message at the last moment makes stale', async () => {
    const { session } = await made([{ text: 'In words.' }, { text: fits }]);
    await session.send('Begin.');
    const events = [];

    for await (const event of session.stream()) {
      events.push(event);
      if (event.type === 'content' && event.delta === 'In words.') await session.send('Shorter.');
    }

    expect(only(events, 'user_message').map(({ content }) => content)).toEqual(['Begin.', 'Shorter.']);
    expect(resultOf(events)).toMatchObject({ structured });
  });

  it('takes a message that arrives during a repair into the same run', async () => {
    const { session, model } = await made([{ text: 'x' }, { text: ['{', '}'] }, { text: fits }]);
    await session.send('Begin.');
    const events = [];

    for await (const event of session.stream()) {
      events.push(event);
      if (event.type === 'turn_start' && event.turn === 2) await session.send('Be quick.');
    }

    expect(shownTo(model, 1).at(-1)).toBe('user: Be quick.');
    expect(resultOf(events)).toMatchObject({ structured });
  });

  it('judges the output of a call that ends the run like any other answer', async () => {
    const direct: AgentHandler = {
      name: 'direct',
      beforeAgent: (config) => {
        for (const meta of config.tools) meta.returnDirectly = true;
      },
    };
    const ran = async (text: string) => {
      const toolCalls = [{ name: 'echo', input: { text } }];
      const { session, model } = await made([{ toolCalls }, { text: fits }], {
        tools: [echoTool()],
        handlers: [direct],
      });
      return { result: resultOf(await say(session, 'Begin.')), calls: model.requests.length };
    };

    expect(await ran(fits)).toMatchObject({ result: { content: fits, structured }, calls: 1 });
    expect(await ran('Placed.')).toMatchObject({ result: { content: fits, structured }, calls: 2 });
  });

  it('gives no more repairs after a crash', async () => {
    const store = expiring(memoryStore());
    const script: Script = (_, turn) => (turn === 3 ? { hangs: true } : { text: 'x' });
    const { session: old } = await made(script, { store });
    await old.send('Begin.');
    const stream = old.stream();
    for (let turn = 0; turn < 3; ) {
      const { value, done } = await stream.next();
      if (done) break;
      if (value.type === 'turn_start') turn = value.turn;
    }
    void stream.next();
    await new Promise((resolve) => setImmediate(resolve));

    const { session, model } = await resumed(store, old.sessionId, () => ({ text: 'y' }), { outputFormat });
    const events = await read(session);

    expect(model.requests).toHaveLength(1);
    expect(only(events, 'error')).toMatchObject([{ code: 'OUTPUT_INVALID' }]);
  });
});
