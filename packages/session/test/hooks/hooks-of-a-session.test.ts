import { describe, expect, it } from 'vitest';
import type { HookConfig } from '../../src/index.ts';
import { say, scriptedSession } from '../support/makers.ts';

describe('the variables of SessionStart hooks', () => {
  it('are in the environment of command hooks, after those of the host', async () => {
    const hooks: HookConfig = {
      SessionStart: [{ hooks: [async () => ({ env: { TICKET: 'T-1', HOST: 'changed' } })] }],
      UserPromptSubmit: [
        { hooks: [{ type: 'command', command: `printf '{"additionalContext":"%s %s"}' "$TICKET" "$HOST"` }] },
      ],
    };
    const { session, model } = await scriptedSession([{ text: 'Done.' }], { hooks, env: { HOST: 'as it was' } });

    await say(session, 'Begin.');
    await session.close();

    expect(JSON.stringify(model.requests[0]?.messages)).toContain('T-1 changed');
  });
});

describe('what SessionEnd hooks say', () => {
  it('is in the diagnosis of the session that was closed', async () => {
    const hooks: HookConfig = { SessionEnd: [{ hooks: [async () => ({ systemMessage: 'The report was sent.' })] }] };
    const { session } = await scriptedSession([{ text: 'Done.' }], { hooks });
    await say(session, 'Begin.');

    await session.close();

    const said = { name: 'hook_message', status: 'warning', detail: 'The report was sent.' };
    expect(session.diagnosis().checks).toContainEqual(said);
  });
});
