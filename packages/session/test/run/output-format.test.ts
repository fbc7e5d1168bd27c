import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AgentError, type AgentHandler } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type CustomProvider, createSession, memoryStore, sqliteStore } from '../../src/index.ts';
import { agentsNamed, cast, task } from '../support/agent-scripts.ts';
import { toldRecords } from '../support/followed.ts';
import { bodiesOf, echoTool, only, read, resultOf, say, scriptedSession } from '../support/makers.ts';
import { expiring, resumed } from '../support/resumed.ts';
import { fits, formatsIn, made, outputFormat, structured } from '../support/structured-session.ts';

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

  it('tells those who follow from another process the same result', async () => {
    const store = memoryStore();
    const fenced = `\`\`\`json\n${fits}\n\`\`\``;
    const { session } = await made([{ text: fenced }], { store });
    const own = resultOf(await say(session, 'Begin.'));

    const [told] = (await toldRecords(store, session.sessionId)).flatMap(({ event }) =>
      event.type === 'result' ? [event] : [],
    );

    expect(told).toEqual({ ...own, durationMs: expect.any(Number) });
    expect(told).toMatchObject({ content: fits, structured });
  });

  it('tells it from a file too, when its host is gone', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'answers-')), 'sessions.db');
    const first = sqliteStore({ path });
    const { session } = await made([{ text: `\`\`\`json\n${fits}\n\`\`\`` }], { store: first });
    await say(session, 'Begin.');
    await session.close();
    await first[Symbol.asyncDispose]();

    const second = sqliteStore({ path });
    const told = await toldRecords(second, session.sessionId);

    expect(told.at(-1)?.event).toMatchObject({ type: 'result', content: fits, structured });
    await second[Symbol.asyncDispose]();
    rmSync(dirname(path), { recursive: true });
  });

  it.each([
    ['is no JSON', z.object({ at: z.string().transform((text) => new URL(text)) }), '{"at":"https://a.example/"}'],
    ['is large', z.object({ at: z.string() }), JSON.stringify({ at: 'a'.repeat(200_000) })],
  ])('records no value that %s', async (_what, schema, text) => {
    const store = memoryStore();
    const { session } = await made([{ text }], { store, outputFormat: { type: 'json_schema', schema } });
    await say(session, 'Begin.');

    const [told] = (await toldRecords(store, session.sessionId)).flatMap(({ event }) =>
      event.type === 'result' ? [event] : [],
    );

    expect(told).toMatchObject({ subtype: 'success', content: text });
    expect(told).not.toHaveProperty('structured');
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

  it('records how the run ended, with the value for those who follow', async () => {
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
    expect(bodies.at(-1)).toMatchObject({ subtype: 'success', structured });
    expect(bodies.at(-1)).not.toHaveProperty('content'); // it is the text of the reply
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
