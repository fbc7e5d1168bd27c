import { ToolGroupManager } from '@x/tool-groups';
import { describe, expect, it } from 'vitest';
import { createSession, memoryStore, type SessionOptions } from '../../src/index.ts';
import { only, read, resultOf, say, scriptedProvider, scriptedSession } from '../support/makers.ts';
import { workerRole } from '../support/roles.ts';

const ask = (input: object) => ({ toolCalls: [{ id: 'q', name: 'AskUser', input }] });
const COLOURS = { question: 'Which colour?', choices: ['red', 'blue', 'green'] };
const asked = async (input: object = COLOURS, options: Partial<SessionOptions> = {}) => {
  const { session, model } = await scriptedSession([ask(input), { text: 'Done.' }], {
    askUser: true,
    allowedTools: ['AskUser'],
    ...options,
  });
  return { session, model, result: resultOf(await say(session, 'Paint.')) };
};

describe('askUser (V13, V29)', () => {
  it('asks what only a person knows, and goes on with the answer', async () => {
    const { session, result } = await asked();
    await session.answer('q', { choices: ['blue'], text: 'A dark one.' });

    const events = await read(session);

    expect(result).toMatchObject({
      subtype: 'waiting',
      questions: [{ callId: 'q', kind: 'ask_user', toolName: 'AskUser', input: COLOURS }],
    });
    expect(only(events, 'tool_result')).toMatchObject([
      { output: 'The user chose: blue\n\nA dark one.', isError: false },
    ]);
    expect(resultOf(events).subtype).toBe('success');
  });

  it('takes free text, several choices where they were asked for, and a refusal to answer', async () => {
    const outputs: string[] = [];
    const cases = [
      [COLOURS, { text: 'Violet.' }],
      [{ ...COLOURS, multiple: true }, { choices: ['red', 'green'] }],
      [{ question: 'Why?' }, { behavior: 'deny', message: 'Ask me tomorrow.' }],
      [{ question: 'Why?' }, { behavior: 'deny' }],
    ] as const;
    for (const [input, answer] of cases) {
      const { session } = await asked(input);
      await session.answer('q', answer);
      outputs.push(...only(await read(session), 'tool_result').map(({ output }) => output));
    }

    expect(outputs).toEqual([
      'Violet.',
      'The user chose: red, green',
      'The user does not answer: Ask me tomorrow.',
      'The user does not answer.',
    ]);
  });

  it.each([
    [
      'a choice that was not offered',
      { choices: ['violet'] },
      /"violet" was not offered; the choices are \["red","blue","green"\]/,
    ],
    ['two choices where one was asked for', { choices: ['red', 'blue'] }, /One choice was asked for/],
    ['a permission', { behavior: 'allow' }, /Answer a question of the model/],
    ['no words', { text: '' }, /answer\.text/],
    ['no choice', { choices: [] }, /\{ text \} or \{ choices \}/],
    ['an unknown key', { answer: 'blue' }, /unknown answer/],
  ])('refuses %s, and still waits', async (_what, answer, message) => {
    const { session } = await asked();

    await expect(session.answer('q', answer as never)).rejects.toThrow(message);

    expect(resultOf(await read(session)).subtype).toBe('waiting');
  });

  it('takes no choice where none was offered', async () => {
    const { session } = await asked({ question: 'Why?' });

    await expect(session.answer('q', { choices: ['because'] })).rejects.toThrow('the choices are []');
  });

  it('is asked whatever canUseTool and the mode say of tools, which are not about this', async () => {
    const names: string[] = [];
    const { result } = await asked(COLOURS, {
      permissionMode: 'plan',
      canUseTool: async (name) => {
        names.push(name);
        return { behavior: 'deny', message: 'No.' };
      },
    });

    expect(result.subtype).toBe('waiting');
    expect(names).toEqual([]);
  });

  it('says that it waited in vain when the question expires', async () => {
    const { session } = await asked(COLOURS, { questionTtlMs: 1 });
    await new Promise((resolve) => setTimeout(resolve, 5));

    const [result] = only(await read(session), 'tool_result');

    expect(result).toMatchObject({ output: 'Nobody has answered before the question expired.', isError: true });
  });

  it('is offered only to hosts that say so, in any role too', async () => {
    const names = async (options: Partial<SessionOptions>) => {
      const { provider, models } = scriptedProvider([{ text: 'Hi.' }]);
      const session = await createSession({ provider, model: 'm', store: memoryStore(), ...options });
      await say(session, 'Hello.');
      return models[0]!.requests[0]!.tools.map(({ name }) => name).includes('AskUser');
    };

    expect(await names({})).toBe(false);
    expect(await names({ askUser: false })).toBe(false);
    expect(await names({ askUser: true })).toBe(true);
    expect(await names({ askUser: true, role: workerRole() })).toBe(true);
    expect(await names({ askUser: true, role: workerRole(), toolGroups: new ToolGroupManager() })).toBe(true);
    expect(await names({ role: workerRole(), toolGroups: new ToolGroupManager() })).toBe(false);
  });

  it.each([
    [{ allowedTools: ['Read'] }, /allowedTools leaves it out/],
    [{ disallowedTools: ['AskUser'] }, /disallowedTools names it/],
    [{ askUser: 'yes' }, /askUser must be true or false/],
  ])('refuses %j, with which nothing would be asked', async (options, message) => {
    await expect(asked(COLOURS, options as never)).rejects.toThrow(message);
  });

  it('does not take what the model makes up: an input that does not fit is its error', async () => {
    const { result } = await asked({ question: 'Which?', choices: ['a', 2] });

    expect(result.subtype).toBe('success');
  });
});
