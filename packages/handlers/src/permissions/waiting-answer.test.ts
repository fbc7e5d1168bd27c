import { describe, expect, it } from 'vitest';
import { about, bash, journaled, judged } from '../../test/permission-values.ts';
import type { CanUseTool } from './types.ts';

const wait: CanUseTool = async () => ({ behavior: 'wait' });
const recorded = (name: string, data: unknown) => ({ type: 'note', name, data }) as const;

describe('canUseTool that lets a call wait', () => {
  it('refuses it where no question can be kept: only a session can', async () => {
    const { value } = await judged(about(bash, 'ls'), {}, { canUseTool: wait });

    expect(value).toMatchObject({ isError: true, output: expect.stringContaining('which only a session can') });
  });

  it('refuses it where no answer could be bound to its input', async () => {
    const call = { ...about(bash, 'ls'), input: { text: 'ls', more: 1n } };

    const { value } = await judged(call, {}, { canUseTool: wait, questions: {} });

    expect(value).toMatchObject({ isError: true, output: expect.stringContaining('its input is not plain JSON') });
  });

  it('records the question and leaves the call, whose error says so', async () => {
    const { context, records } = journaled({});

    await expect(
      judged(about(bash, 'ls'), {}, { canUseTool: wait, questions: { ttlMs: 5 }, context }),
    ).rejects.toMatchObject({
      code: 'CALL_WAITS',
    });

    expect(records).toMatchObject([
      recorded('question:c1', {
        kind: 'permission',
        toolName: 'Bash',
        input: { text: 'ls' },
        agentName: expect.any(String),
      }),
    ]);
  });

  it('takes an answer that is none for a refusal', async () => {
    const { context, records } = journaled({});
    await judged(about(bash, 'ls'), {}, { canUseTool: wait, questions: {}, context }).catch(() => undefined);
    const { key, askedAt } = (records[0] as unknown as { data: { key: string; askedAt: number } }).data;
    for (const answer of [{ behavior: 'ask' }, { behavior: 'Allow' }, null]) {
      const past = { 'question:c1': { key, askedAt, toolName: 'Bash' }, 'answer:c1': { key, askedAt, answer } };
      const again = journaled(past);

      const { value } = await judged(
        about(bash, 'ls'),
        {},
        { canUseTool: wait, questions: {}, context: again.context },
      );

      expect(value).toMatchObject({ isError: true });
    }
  });
});
