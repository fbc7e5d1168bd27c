import { AgentError, type AgentHandler, type ModelRequest } from '@x/core';
import { type Script, scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type CustomProvider,
  createSession,
  memoryStore,
  type OutputFormat,
  type SessionOptions,
} from '../src/index.ts';
import { agentsNamed, cast, task } from './agent-scripts.ts';
import { bodiesOf, echoTool, only, read, resultOf, say, scriptedSession, shownTo } from './makers.ts';
import { expiring, resumed } from './resumed.ts';

const schema = z.object({ summary: z.string(), confidence: z.number().min(0).max(1) });
const outputFormat: OutputFormat = { type: 'json_schema', schema, name: 'AnalysisResult', strict: true };
const fits = '{"summary":"s","confidence":0.5}';
const structured = { summary: 's', confidence: 0.5 };
const formatsIn = (requests: readonly ModelRequest[]) => requests.map((request) => request.outputFormat);
const made = (script: Script, options: Partial<SessionOptions> = {}) =>
  scriptedSession(script, { outputFormat, ...options });

describe('a session with an outputFormat', () => {
  it('asks every model call for it, and its result is the JSON text and the value', async () => {
    const toolCalls = [{ name: 'echo', input: { text: 'a' } }];
    const { session, model } = await made([{ toolCalls }, { text: fits }, { text: fits }], { tools: [echoTool()] });

    const first = await say(session, 'Begin.');
    const second = await say(session, 'Again.');

    const formats = formatsIn(model.requests);
    expect(formats[0]).toEqual({
      name: 'AnalysisResult',
      strict: true,
      schema: expect.objectContaining({ type: 'object', required: ['summary', 'confidence'] }),
    });
    expect(new Set(formats).size).toBe(1);
    expect(formats).toHaveLength(3);
    expect([resultOf(first), resultOf(second)]).toMatchObject(
      Array(2).fill({ subtype: 'success', content: fits, structured }),
    );
  });

  it('has the JSON text alone as content, and what transforms make of it as value', async () => {
    const coming = z.object({ at: z.string().transform((text) => new URL(text)) });
    const { session } = await made([{ text: '```json\n{"at":"https://a.example/"}\n```' }], {
      outputFormat: { type: 'json_schema', schema: coming },
      handlers: [{ name: 'see', onEvent: () => undefined }], // a URL cannot be cloned
    });

    expect(resultOf(await say(session, 'Begin.'))).toMatchObject({
      subtype: 'success',
      content: '{"at":"https://a.example/"}',
      structured: { at: new URL('https://a.example/') },
    });
  });

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

  it('has nothing structured when it is aborted', async () => {
    const { session } = await made([{ text: fits, hangs: true }]);
    await session.send('Begin.');
    const events = [];

    for await (const event of session.stream()) {
      events.push(event);
      if (event.type === 'content') session.abort();
    }

    expect(resultOf(events)).toMatchObject({ subtype: 'aborted' });
    expect(resultOf(events)).not.toHaveProperty('structured');
  });

  it('asks neither subagents nor summaries for it', async () => {
    const parts = { main: [{ toolCalls: [task('one')] }, { text: fits }], one: [{ text: 'In words.' }] };
    const { session, model } = await made(cast(parts), { allowedTools: ['Task'], agents: agentsNamed('one') });

    const events = await say(session, 'Begin.');

    const byAgent = model.requests.map(({ instruction, outputFormat: format }) => [
      instruction.startsWith('Be one.'),
      format !== undefined,
    ]);
    expect(byAgent).toEqual([
      [false, true],
      [true, false],
      [false, true],
    ]);
    expect(only(events, 'tool_result')).toMatchObject([{ output: 'In words.' }]);
    expect(resultOf(events)).toMatchObject({ structured });
  });

  it('leaves the summary of a compaction in words', async () => {
    const full = {
      text: JSON.stringify({ ...structured, summary: 'x'.repeat(4_000) }),
      usage: { inputTokens: 120_000 },
    };
    const { session, model } = await made(cast({ main: Array(3).fill(full) }));

    for (const text of ['one', 'two', 'three']) await say(session, text);

    const words = model.requests.filter((request) => request.outputFormat === undefined);
    expect(words).not.toHaveLength(0);
    expect(words.every(({ instruction }) => instruction.startsWith('You condense'))).toBe(true);
    expect(model.requests).toHaveLength(3 + words.length);
  });

  it('asks the retries and the fallback model for it, too', async () => {
    const overloaded = Object.assign(
      new AgentError('overloaded', { code: 'MODEL_ERROR', statusCode: 503, retryable: true }),
      { retryAfter: 0.001 },
    );
    const models = new Map<string, ReturnType<typeof scriptedModel>>();
    const createModel = (name: string) => {
      const model = scriptedModel(name === 'main' ? () => ({ error: overloaded }) : [{ text: 'x' }, { text: fits }], {
        name,
      });
      models.set(name, model);
      return model;
    };
    const provider: CustomProvider = { type: 'custom', createModel };
    const options = { provider, model: 'main', fallbackModel: 'spare', store: memoryStore(), outputFormat };

    const events = await say(await createSession(options), 'Begin.');

    const formats = [...models.values()].flatMap(({ requests }) => formatsIn(requests));
    expect(resultOf(events)).toMatchObject({ structured });
    expect(formats).toHaveLength(5);
    expect(new Set(formats).size).toBe(1);
    expect(formats[0]).toBeDefined();
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

  it('comes to the same value when the process ends just before the result', async () => {
    const store = expiring(memoryStore());
    const stuck: AgentHandler = { name: 'stuck', afterAgent: () => new Promise(() => undefined) };
    const { session: old } = await made([{ text: fits }], { store, handlers: [stuck] });
    await old.send('Begin.');
    const stream = old.stream();
    for (let step = 0; step < 5; step++) await stream.next();
    void stream.next();
    await new Promise((resolve) => setImmediate(resolve));

    const { session, model } = await resumed(store, old.sessionId, [], { outputFormat });
    const events = await read(session);

    expect(model.requests).toEqual([]);
    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: fits, structured });
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

  it('keeps its format over setModel', async () => {
    const store = memoryStore();
    const models: ReturnType<typeof scriptedModel>[] = [];
    const createModel = (name: string) => {
      models.push(scriptedModel(() => ({ text: fits }), { name }));
      return models.at(-1)!;
    };
    const provider: CustomProvider = { type: 'custom', createModel };
    const session = await createSession({ provider, model: 'one', store, outputFormat });

    await say(session, 'Begin.');
    await session.setModel('two');
    const events = await say(session, 'Again.');

    expect(formatsIn(models[1]!.requests)).toEqual(formatsIn(models[0]!.requests));
    expect(resultOf(events)).toMatchObject({ structured });
  });

  it('records how the run ended without the value, which the reply holds', async () => {
    const store = memoryStore();
    const { session } = await made([{ text: fits }], { store });
    await say(session, 'Begin.');

    const bodies = await bodiesOf(store, session.sessionId);

    expect(bodies.map((body) => (body.type === 'record' ? body.record.type : body.type))).toEqual([
      'session_created',
      'title',
      'run_started',
      'message',
      'message',
      'run_ended',
    ]);
    expect(JSON.stringify(bodies.at(-1))).not.toContain('summary');
  });
});

describe('a session without an outputFormat', () => {
  it('asks for none, and takes any answer (control)', async () => {
    const { session, model } = await scriptedSession([{ text: 'Hello.' }]);

    const events = await say(session, 'Begin.');

    expect(formatsIn(model.requests)).toEqual([undefined]);
    expect(model.requests[0]).not.toHaveProperty('outputFormat');
    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Hello.' });
    expect(resultOf(events)).not.toHaveProperty('structured');
  });
});
