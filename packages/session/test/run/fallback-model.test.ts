import { AgentError } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { type CustomProvider, createSession, memoryStore } from '../../src/index.ts';
import { say } from '../support/makers.ts';
import { notificationsIn, watched } from '../support/watched.ts';

describe('fallbackModel', () => {
  it("is the session's own again in the next run, and a notification says when it steps in", async () => {
    const overloaded = Object.assign(new AgentError('overloaded', { code: 'MODEL_ERROR', retryable: true }), {});
    const asked: string[] = [];
    const provider: CustomProvider = {
      type: 'custom',
      createModel: (name) =>
        scriptedModel(
          () => {
            asked.push(name);
            return name === 'main' && asked.length === 1 ? { error: overloaded } : { text: 'Done.' };
          },
          { name },
        ),
    };
    const { handler, events: seen } = watched();
    const session = await createSession({
      provider,
      model: 'main',
      store: memoryStore(),
      fallbackModel: 'spare',
      retryBudgetMs: 0,
      handlers: [handler],
    });

    const first = await say(session, 'Begin.');
    await say(session, 'Again.');

    expect(asked).toEqual(['main', 'spare', 'main']);
    expect(notificationsIn(seen, 'fallback_model')).toEqual([expect.stringContaining('spare')]);
    expect(seen).toContainEqual(
      expect.objectContaining({ kind: 'fallback_model', data: { from: 'main', to: 'spare' } }),
    );
    expect(first.map(({ type }) => type)).not.toContain('notification');
  });
});
