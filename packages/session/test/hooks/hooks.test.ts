import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Script, scriptedModel } from '@x/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CommandHook,
  type CustomProvider,
  createSession,
  type HookConfig,
  type HookEvent,
  memoryStore,
  resumeSession,
  type SessionOptions,
} from '../../src/index.ts';
import { only, resultOf, say, scriptedSession, shownTo, toolNamed } from '../support/makers.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hooks-'));
  await writeFile(join(folder, 'note.txt'), 'a note\n'.repeat(1_000)); // fills the window of the model below
});
afterAll(() => rm(folder, { recursive: true }));

const EVENTS: readonly HookEvent[] = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'SubagentStart',
  'SubagentStop',
  'Notification',
  'Stop',
  'Compaction',
  'TaskCompleted',
  'SessionEnd',
];

/** Writes down what it is told, one line a hook, and answers with a text. Hooks of calls side by side take turns: a line may be long. */
function recording(answer: object = {}): CommandHook {
  const locked =
    'until mkdir "$HOOK_LOG.lock" 2>&-; do sleep 0.01; done; { cat; echo; } >> "$HOOK_LOG"; rmdir "$HOOK_LOG.lock"';
  const command = `${locked}; printf '%s' '${JSON.stringify(answer)}'`;
  return { type: 'command', command, timeout: 30 };
}
const config = (answers: Partial<Record<HookEvent, object>>): HookConfig =>
  Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [recording(answers[event])] }]]));

/** One run that meets everything: tools that work and fail, a question, a subagent, a forced turn, a full window. */
const script: Script = ({ messages, tools }) => {
  const prompt = messages[0]?.content[0];
  if (tools.length === 0) return { text: 'A summary.' };
  if (prompt?.type === 'text' && prompt.text.startsWith('Help.')) return { text: 'Helped.' };
  const last = messages.at(-1);
  if (last?.role === 'tool')
    return { text: 'Done?', usage: { inputTokens: 9_000, outputTokens: 1, totalTokens: 9_001 } };
  const isForced = last?.role === 'user' && JSON.stringify(last.content).includes('look again');
  if (isForced || messages.length > 1) return { text: 'Really done.' };
  return {
    toolCalls: [
      { id: 'r', name: 'Read', input: { file_path: 'note.txt' } },
      { id: 'f', name: 'fails' },
      { id: 'b', name: 'Bash', input: { command: 'echo $FROM_HOOK' } },
      { id: 't', name: 'Task', input: { subagent_type: 'helper', description: 'Help', prompt: 'Help.' } },
    ],
  };
};

async function everyEvent() {
  const log = join(folder, `${crypto.randomUUID()}.jsonl`);
  const provider: CustomProvider = {
    type: 'custom',
    createModel: (name) => scriptedModel(script, { name, contextWindow: 2_000 }),
  };
  const fails = toolNamed('fails', async () => Promise.reject(new Error('it broke')), { kind: 'readonly' });
  let forced = false;
  const hooks = config({
    SessionStart: { env: { FROM_HOOK: 'greetings' } },
    PermissionRequest: { decision: 'approve' },
  });
  const stop = async () => {
    if (forced) return {};
    forced = true;
    return { continue: true, continueReason: 'look again' };
  };
  const options: SessionOptions = {
    provider,
    model: 'm',
    store: memoryStore(),
    cwd: folder,
    env: { HOOK_LOG: log },
    tools: [fails],
    agents: [{ name: 'helper', description: 'Helps.' }],
    autoApprove: ['mcp__none__such'], // a name that nobody bears is notified
    hooks: { ...hooks, Stop: [{ hooks: [recording(), stop] }] },
  };
  const session = await createSession(options);
  const events = await say(session, 'Begin.');
  await session.close();
  const lines = (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '');
  return {
    events,
    told: lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    sessionId: session.sessionId,
  };
}

describe('hooks that are commands', () => {
  it('are run at each of the thirteen moments, with what belongs to it', async () => {
    const { events, told, sessionId } = await everyEvent();
    const of = (event: HookEvent) => told.filter((input) => input['hook_event_name'] === event);

    expect(resultOf(events).subtype).toBe('success');
    expect(new Set(told.map((input) => input['hook_event_name']))).toEqual(new Set(EVENTS));
    for (const input of told) {
      expect(input).toMatchObject({
        session_id: sessionId,
        hook_execution_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        project_dir: folder,
        permission_mode: 'default',
        agent_name: expect.any(String),
        agent_depth: expect.any(Number),
      });
    }
    expect(of('SessionStart')).toMatchObject([{ source: 'startup' }]);
    expect(of('UserPromptSubmit')).toMatchObject([{ user_prompt: 'Begin.', has_images: false, image_count: 0 }]);
    expect(of('PreToolUse').map((input) => input['tool_name'])).toEqual(['Read', 'fails', 'Bash', 'Task']);
    expect(of('PreToolUse')[0]).toMatchObject({ tool_use_id: 'r', tool_input: { file_path: 'note.txt' } });
    expect(of('PermissionRequest')).toMatchObject([{ tool_name: 'Bash', tool_use_id: 'b', agent_name: 'main' }]);
    expect(of('PostToolUse').map((input) => input['tool_name'])).toEqual(['Read', 'Bash', 'Task']);
    expect(of('PostToolUse')[1]).toMatchObject({ tool_output: expect.stringContaining('greetings') });
    expect(of('PostToolUseFailure')).toMatchObject([
      { tool_name: 'fails', error: 'it broke', error_type: 'tool_error', is_interrupt: false, is_timeout: false },
    ]);
    expect(of('SubagentStart')).toMatchObject([
      {
        agent_type: 'helper',
        task_description: 'Help.',
        parent_agent_id: 'main',
        agent_name: 'helper',
        agent_depth: 1,
      },
    ]);
    expect(of('SubagentStop')).toMatchObject([{ agent_type: 'helper', success: true, result_summary: 'Helped.' }]);
    expect(of('Notification')).toContainEqual(
      expect.objectContaining({
        notification_type: 'unknown_tool_name',
        message: expect.stringContaining('mcp__none__such'),
      }),
    );
    expect(of('Stop')).toMatchObject([
      { stop_reason: 'end', final_response: 'Done?', stop_hook_active: false },
      { final_response: 'Really done.', stop_hook_active: true },
    ]);
    expect(of('Compaction')).toMatchObject([
      { trigger: 'auto', messages_before: expect.any(Number), tokens_before: expect.any(Number) },
    ]);
    expect(of('TaskCompleted')).toMatchObject([{ task_id: expect.any(String), result: 'Really done.' }]);
    expect(of('SessionEnd')).toMatchObject([{ reason: 'user_exit', total_turns: 5, total_tokens: expect.any(Number) }]);
    expect(told.at(-1)).toMatchObject({ hook_event_name: 'SessionEnd' });
  });
});

describe('hooks of a session', () => {
  const write = { toolCalls: [{ id: 'w', name: 'note', input: {} }] };
  const noting = (ran: string[]) => toolNamed('note', async () => (ran.push('ran'), 'noted'), { kind: 'write' });

  it('start again with a session that is resumed, and may say what the model reads', async () => {
    const store = memoryStore();
    const sources: string[] = [];
    const hooks: HookConfig = {
      SessionStart: [
        { hooks: [async ({ source }) => (sources.push(source), { additionalContext: `It is ${source}.` })] },
      ],
    };
    const { session } = await scriptedSession([{ text: 'Hello.' }], { store, hooks });
    await say(session, 'Begin.');
    await session.close();
    const model = scriptedModel([{ text: 'Hello.' }]);
    const provider: CustomProvider = { type: 'custom', createModel: () => model };

    const again = await resumeSession({ provider, model: 'm', store, hooks, sessionId: session.sessionId });
    await say(again, 'Go on.');
    await again.close();

    expect(sources).toEqual(['startup', 'resume']);
    expect(model.requests[0]?.instruction).toMatch(/It is resume\.$/);
  });

  it('refuse a call, and the model reads why', async () => {
    const ran: string[] = [];
    const deny = async () => ({ permissionDecision: 'deny', permissionDecisionReason: 'not on a Friday' }) as const;
    const { session } = await scriptedSession([write, { text: 'Done.' }], {
      tools: [noting(ran)],
      hooks: { PreToolUse: [{ matcher: 'note', hooks: [deny] }] },
    });

    const events = await say(session, 'Begin.');

    expect(ran).toEqual([]);
    expect(only(events, 'tool_result')).toMatchObject([
      { isError: true, output: expect.stringContaining('not on a Friday') },
    ]);
  });

  it('block a prompt: it is not recorded, leaves the inbox, and the run ends with the reason', async () => {
    const block = async ({ user_prompt }: { user_prompt: string }) =>
      user_prompt === 'Bad.' ? ({ decision: 'block', reason: 'no such words' } as const) : {};
    const { session, model } = await scriptedSession([{ text: 'Done.' }], {
      hooks: { UserPromptSubmit: [{ hooks: [block] }] },
    });

    const bad = resultOf(await say(session, 'Bad.'));
    const good = resultOf(await say(session, 'Good.'));

    expect(bad).toMatchObject({ subtype: 'error', error: expect.stringContaining('no such words') });
    expect(good.subtype).toBe('success');
    expect(shownTo(model, 0)).toEqual(['user: Good.']);
    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('make an agent go on at most three times in a row, and say so', async () => {
    const told: string[] = [];
    const { session } = await scriptedSession(() => ({ text: 'Done.' }), {
      hooks: { Stop: [{ hooks: [async () => ({ continue: true, continueReason: 'more' })] }] },
      handlers: [{ name: 'see', onEvent: (event) => void (event.type === 'notification' && told.push(event.kind)) }],
    });

    const events = await say(session, 'Begin.');

    expect(only(events, 'turn_start')).toHaveLength(4);
    expect(resultOf(events).subtype).toBe('success');
    expect(told.at(-1)).toBe('forced_turns_used_up');
  });

  it('are not run when they are switched off', async () => {
    const ran: string[] = [];
    const deny = async () => ({ permissionDecision: 'deny' }) as const;
    const { session } = await scriptedSession([write, { text: 'Done.' }], {
      tools: [noting(ran)],
      hooks: { enabled: false, PreToolUse: [{ hooks: [deny] }] },
    });

    await say(session, 'Begin.');

    expect(ran).toEqual(['ran']);
  });
});
