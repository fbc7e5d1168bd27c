import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  type AgentDefinition,
  createSession,
  defineTool,
  forkSession,
  type ISession,
  type OutputFormat,
  prompt,
  resumeSession,
  type SessionError,
  type ToolError,
} from './index.ts';

const provider = { type: 'openai-compatible', apiKey: process.env['API_KEY'] } as const;
const model = 'gpt-4o-mini';

// Compiled, never called: the forms in which the sessions of the specification are used.
describe('the specified ways to use a session', () => {
  it('compile: send, stream, close', () => {
    const talk = async () => {
      const session = await createSession({
        provider: { ...provider, baseUrl: 'https://api.openai.com/v1' },
        model,
        systemPrompt: 'You are helpful.',
        maxTurns: 200,
      });
      const abort = new AbortController();
      await session.send('Hello.', { signal: abort.signal });
      for await (const message of session.stream({ includeThinking: true })) {
        switch (message.type) {
          case 'content':
            process.stdout.write(message.delta);
            break;
          case 'tool_use':
            console.log(message.name);
            break;
          case 'result':
            console.log(message.content);
            break;
        }
      }
      session.abort();
      void session.close(); // or awaited
    };
    expectTypeOf(talk).returns.resolves.toBeVoid();
  });

  it('compile: a session that is closed with its block', () => {
    const scope = async () => {
      await using session = await createSession({ provider, model });
      return session.sessionId;
    };
    expectTypeOf(scope).returns.resolves.toBeString();
  });

  it('compile: prompt, resume, fork', () => {
    const others = async () => {
      const { result, usage, duration } = await prompt('What is 2 + 2?', { provider, model });
      const resumed = await resumeSession({ sessionId: 'an-id', provider, model });
      const forked = await forkSession({ sessionId: 'an-id', messageId: 'a-message', provider, model });
      return {
        result,
        tokens: usage.totalTokens,
        duration,
        sessions: [resumed, await forked.fork({ messageId: 'm' })],
      };
    };
    expectTypeOf(others).returns.resolves.toEqualTypeOf<{
      result: string;
      tokens: number;
      duration: number;
      sessions: ISession[];
    }>();
  });

  it('compile: permissions, hooks, tools, agents, answers as values', () => {
    const tool = defineTool({
      name: 'MyTool',
      description: 'A tool of the host',
      inputSchema: z.object({ query: z.string().describe('What to work on') }),
      execute: async (input) => `Done: ${input.query}`,
    });
    const search: AgentDefinition = {
      name: 'search',
      description: 'Searches the code',
      systemPrompt: 'You search code.',
      tools: ['Read', 'Grep', 'Glob'],
    };
    const outputFormat = {
      type: 'json_schema',
      schema: z.object({ summary: z.string(), confidence: z.number().min(0).max(1) }),
      name: 'AnalysisResult',
      strict: true,
    } satisfies OutputFormat;
    const make = () =>
      createSession({
        provider,
        model,
        tools: [tool],
        agents: [search],
        outputFormat,
        canUseTool: async (name, input, { toolKind }) => {
          if (toolKind === 'readonly') return { behavior: 'allow' };
          const { command } = input as { command?: string };
          if (name === 'Bash' && command?.includes('rm -rf')) return { behavior: 'deny', message: 'Not that.' };
          return { behavior: 'ask' };
        },
        hooks: {
          enabled: true,
          PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: './check.sh', timeout: 10 }] }],
        },
      });
    expectTypeOf(make).returns.resolves.toEqualTypeOf<ISession>();
  });

  it('compile: errors by their class', () => {
    expectTypeOf<SessionError['code']>().toBeString();
    expectTypeOf<Pick<ToolError, 'toolName' | 'input'>>().toEqualTypeOf<{
      readonly toolName: string;
      readonly input: unknown;
    }>();
    expectTypeOf<SessionError>().toExtend<Error>();
  });
});
