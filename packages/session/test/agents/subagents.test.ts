import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedModel } from '@x/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CustomProvider, createSession, memoryStore, type SessionOptions } from '../../src/index.ts';
import { agentsNamed, cast, task } from '../support/agent-scripts.ts';
import { echoTool, only, resultOf, say, scriptedSession, toolNamed } from '../support/makers.ts';
import { innermost, watched } from '../support/watched.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agents-'));
  await writeFile(join(folder, '.env'), 'TOKEN=secret\n');
  await writeFile(join(folder, 'main.ts'), 'const TOKEN = 1;\n');
});
afterAll(() => rm(folder, { recursive: true }));

const helped = { main: [{ toolCalls: [task('one')] }, { text: 'Done.' }], one: [{ text: 'Worked.' }] };

describe('the tool Task', () => {
  it('is there only with agents, and says which there are', async () => {
    const offered = async (options: Partial<SessionOptions>) => {
      const { session, model } = await scriptedSession([{ text: 'Done.' }], {
        allowedTools: undefined,
        ...options,
      } as never);
      await say(session, 'Begin.');
      return model.requests[0]!.tools.find(({ name }) => name === 'Task');
    };

    const there = await offered({ agents: agentsNamed('one', 'two') });

    expect(await offered({})).toBeUndefined();
    expect(await offered({ agents: [] })).toBeUndefined();
    expect(there).toMatchObject({ kind: 'readonly' });
    expect(there?.description).toMatch(/one: Works as one\..*two: Works as two\./s);
    expect(there?.inputSchema.json).toMatchObject({
      required: ['subagent_type', 'description', 'prompt'],
      properties: { subagent_type: { type: 'string' }, description: { type: 'string' }, prompt: { type: 'string' } },
    });
  });

  it('answers a name that no agent bears with the names there are, and the run goes on', async () => {
    const { session } = await scriptedSession([{ toolCalls: [task('tow')] }, { text: 'Done.' }], {
      allowedTools: ['Task'],
      agents: agentsNamed('one', 'two'),
    });

    const events = await say(session, 'Begin.');

    expect(only(events, 'tool_result')).toMatchObject([
      { isError: true, output: 'There is no agent tow; did you mean two? Known: one, two' },
    ]);
    expect(resultOf(events).content).toBe('Done.');
  });
});

describe('a subagent', () => {
  it('has its own prompt, task, model and tools, and a history of its own', async () => {
    const models = new Map<string, ReturnType<typeof scriptedModel>>();
    const provider: CustomProvider = {
      type: 'custom',
      createModel(name) {
        const made = scriptedModel(cast(helped), { name });
        models.set(name, made);
        return made;
      },
    };
    const tools = [echoTool(), toolNamed('other', async () => 'other')];
    const agents = agentsNamed('one').map((agent) => ({ ...agent, model: 'small', tools: ['echo', 'Read'] }));
    const session = await createSession({ provider, model: 'main', store: memoryStore(), tools, agents });

    const events = await say(session, 'Begin.');

    const [request] = models.get('small')!.requests;
    expect(models.get('main')!.requests).toHaveLength(2);
    expect(request?.instruction).toBe('Be one.');
    expect(request?.tools.map(({ name }) => name)).toEqual(['Read', 'echo']);
    expect(request?.messages).toMatchObject([{ role: 'user', content: [{ type: 'text', text: 'Work, one.' }] }]);
    expect(only(events, 'tool_result')).toMatchObject([{ name: 'Task', output: 'Worked.' }]);
    expect(JSON.stringify(session.messages)).not.toContain('Be one.');
  });

  it('has the model, the prompt and the tools of its parent where its definition names none', async () => {
    const made: string[] = [];
    const script = cast({ main: [{ toolCalls: [task('one')] }, { text: 'Worked.' }, { text: 'Done.' }] });
    const model = scriptedModel(script, { name: 'main' });
    const provider: CustomProvider = { type: 'custom', createModel: (name) => (made.push(name), model) };
    const session = await createSession({
      provider,
      model: 'main',
      store: memoryStore(),
      systemPrompt: 'Answer in few words.',
      tools: [echoTool()],
      allowedTools: ['echo', 'Task'],
      agents: [{ name: 'one', description: 'Works.' }],
    });

    await say(session, 'Begin.');

    expect(made).toEqual(['main']);
    expect(model.requests.map(({ instruction }) => instruction)).toEqual(Array(3).fill('Answer in few words.'));
    expect(model.requests[1]?.tools.map(({ name }) => name).toSorted()).toEqual(['Task', 'echo']);
  });

  it('that an agent with another model has started has the model of the session, where it names none', async () => {
    const made = new Map<string, ReturnType<typeof scriptedModel>>();
    const script = cast({
      main: [{ toolCalls: [task('one')] }, { text: 'Done.' }],
      one: [{ toolCalls: [task('two')] }, { text: 'Worked.' }],
      two: [{ text: 'Helped.' }],
    });
    const provider: CustomProvider = {
      type: 'custom',
      createModel: (name) => made.set(name, scriptedModel(script, { name })).get(name)!,
    };
    const [one, two] = agentsNamed('one', 'two');
    const agents = [{ ...one!, model: 'small' }, two!];
    const session = await createSession({ provider, model: 'main', store: memoryStore(), agents });

    await say(session, 'Begin.');

    expect((await session.usage()).entries.map(({ agentPath, model }) => `${agentPath.at(-1)}: ${model}`)).toEqual([
      'main: main',
      'one: small',
      'two: main',
      'one: small',
      'main: main',
    ]);
  });

  it('never has a tool that its definition does not list, that its parent lacks, or that is disallowed', async () => {
    const ran: string[] = [];
    const tools = ['listed', 'unlisted', 'disallowed'].map((name) =>
      toolNamed(name, async () => ran.push(name), { kind: 'readonly' }),
    );
    const calls = ['listed', 'unlisted', 'disallowed', 'Bash'].map((name) => ({ name }));
    const { handler, events: seen } = watched();
    const { session } = await scriptedSession(
      cast({
        main: [{ toolCalls: [task('one')] }, { text: 'Done.' }],
        one: [{ toolCalls: calls }, { text: 'Worked.' }],
      }),
      {
        tools,
        allowedTools: ['listed', 'unlisted', 'disallowed', 'Task'],
        disallowedTools: ['disallowed'],
        agents: agentsNamed('one').map((agent) => ({ ...agent, tools: ['listed', 'disallowed', 'Bash'] })),
        handlers: [handler],
      },
    );

    await say(session, 'Begin.');

    expect(ran).toEqual(['listed']);
    const results = seen.flatMap((event) => (event.type === 'tool_result' ? [`${event.name}: ${event.isError}`] : []));
    expect(results).toEqual(['listed: false', 'unlisted: true', 'disallowed: true', 'Bash: true', 'Task: false']);
  });

  it('is aborted with its parent: tool, call and task are answered, and the next run works', async () => {
    const reached = Promise.withResolvers<AbortSignal>();
    const work = toolNamed('work', async (_, { signal }) => {
      reached.resolve(signal);
      await new Promise(() => undefined);
    });
    const { handler, events: seen } = watched();
    const { session } = await scriptedSession(
      cast({ main: [{ toolCalls: [task('one')] }, { text: 'Next.' }], one: [{ toolCalls: [{ name: 'work' }] }] }),
      { tools: [work], allowedTools: ['work', 'Task'], agents: agentsNamed('one'), handlers: [handler] },
    );
    await session.send('Begin.');
    const reading = Array.fromAsync(session.stream());
    const signal = await reached.promise;

    session.abort();

    expect(resultOf(await reading).subtype).toBe('aborted');
    expect(signal.aborted).toBe(true);
    expect(seen.map(innermost).filter((event) => event.type === 'tool_result' && event.name === 'work')).not.toEqual(
      [],
    );
    expect(resultOf(await say(session, 'Again.')).content).toBe('Next.');
  });
});

describe('the limits of subagents', () => {
  it('are two levels and four at a time, when nothing is said', async () => {
    const waiting: (() => void)[] = [];
    const meets = toolNamed(
      'meets',
      async () => {
        const all = new Promise<void>((resolve) => waiting.push(resolve));
        if (waiting.length === 4) for (const go of waiting) go();
        await all;
      },
      { kind: 'readonly', parallelSafe: true },
    );
    const script = () =>
      cast({
        main: [{ toolCalls: Array.from({ length: 6 }, () => task('one')) }, { text: 'Done.' }],
        one: [...Array(4).fill({ toolCalls: [{ name: 'meets' }] }), ...Array(4).fill({ text: 'Worked.' })],
      });
    const { session } = await scriptedSession(script(), {
      tools: [meets],
      allowedTools: ['meets', 'Task'],
      agents: agentsNamed('one'),
    });

    const results = only(await say(session, 'Begin.'), 'tool_result');

    const refused = results.filter(({ isError }) => isError);
    expect([results.length, refused.length]).toEqual([6, 2]);
    for (const { output } of refused) expect(output).toContain('4 agents run already, which is the limit');
  });

  it('answer a call below the deepest level with an error that says so', async () => {
    const nested = { toolCalls: [task('one')] };
    const { handler, events: seen } = watched();
    const { session, model } = await scriptedSession(
      cast({
        main: [nested, { text: 'Done.' }],
        one: [nested, nested, { text: 'Deepest.' }, { text: 'Worked.' }],
      }),
      { allowedTools: ['Task'], agents: agentsNamed('one'), handlers: [handler] },
    );

    await say(session, 'Begin.');

    const refused = seen.filter((event) => event.type === 'tool_result' && event.isError);
    expect(refused).toMatchObject([{ name: 'Task', output: expect.stringContaining('nested 2 deep') }]);
    expect(model.requests[2]?.tools.map(({ name }) => name)).not.toContain('Task');
    expect(model.requests[1]?.tools.map(({ name }) => name)).toContain('Task');
  });
});

describe('a deny rule for reading', () => {
  const calls = [
    { name: 'Read', input: { file_path: '.env' } },
    { name: 'Grep', input: { pattern: 'TOKEN', output_mode: 'content' } },
    { name: 'Glob', input: { pattern: '**/{.env,main.ts}' } },
    { name: 'peek', input: {} },
  ];
  const peek = toolNamed(
    'peek',
    async (_, { workspace }) => new TextDecoder().decode(await workspace.readFile('.env')),
    { kind: 'readonly' },
  );
  const read = async (options: Partial<SessionOptions>, isBySubagent: boolean) => {
    const own = [{ toolCalls: calls }, { text: 'Worked.' }];
    const script = cast(
      isBySubagent ? { main: [{ toolCalls: [task('one')] }, { text: 'Done.' }], one: own } : { main: own },
    );
    const { handler, events } = watched();
    const { session } = await scriptedSession(script, {
      cwd: folder,
      tools: [peek],
      allowedTools: ['Read', 'Grep', 'Glob', 'peek', 'Task'],
      agents: agentsNamed('one'),
      permissionMode: 'bypassPermissions',
      handlers: [handler],
      ...options,
    });
    await say(session, 'Begin.');
    const results = events.flatMap((event) =>
      event.type === 'tool_result' ? [[event.name, event.output] as const] : [],
    );
    const outputs = new Map(results);
    return calls.map(({ name }) => outputs.get(name) ?? 'no answer');
  };

  it.each([false, true])('binds every tool that reads, of a subagent too: %s', async (isBySubagent) => {
    const outputs = await read({ disallowedTools: ['Read(**/.env)'] }, isBySubagent);

    for (const output of outputs) expect(output).not.toMatch(/secret|no answer/);
    expect(outputs[1]).toContain('main.ts');
    expect(outputs[2]).toBe('main.ts');
  });

  it.each([false, true])('is what keeps it from them (control): %s', async (isBySubagent) => {
    const outputs = await read({}, isBySubagent);

    expect(outputs.map((output) => /secret|\.env/.test(output))).toEqual([true, true, true, true]);
  });
});
