import { AgentError, type RunContext, type ToolCall } from '@x/core';
import { describe, expect, it } from 'vitest';
import { about, bash, judged, outcome, read } from '../../test/permission-values.ts';
import { nextTurn } from '../../test/values.ts';
import type { AskPort, CanUseTool, PermissionAnswer } from './types.ts';

const allow: CanUseTool = async () => ({ behavior: 'allow' });
const leaveOpen: CanUseTool = async () => ({ behavior: 'ask' });

describe('the ask port', () => {
  const port =
    (answer: PermissionAnswer | undefined): AskPort =>
    async () =>
      answer;

  it.each([
    [{ decision: 'approve' }, 'permission_request: allow'],
    [{ decision: 'deny', reason: 'no' }, 'permission_request: deny'],
    [{ decision: 'ask' }, 'nobody: deny'],
    [undefined, 'nobody: deny'],
  ] as const)('answers %j when canUseTool leaves it open, or is not there: %s', async (answer, expected) => {
    expect(await outcome(about(bash, 'ls'), {}, { ask: port(answer) })).toBe(expected);
    expect(await outcome(about(bash, 'ls'), {}, { ask: port(answer), canUseTool: leaveOpen })).toBe(expected);
  });

  it('is always asked before a call is refused for want of an answer, and never after an answer', async () => {
    const requests: { call: ToolCall; run: RunContext; reason: string }[] = [];
    const ask: AskPort = async (request) => void requests.push(request);
    await judged(about(bash, 'ls'), { ask: ['Bash'] }, { ask, canUseTool: leaveOpen });
    await judged(about(bash, 'ls'), {}, { ask, canUseTool: allow });
    await judged(about(read, 'a'), {}, { ask });

    expect(requests).toEqual([
      expect.objectContaining({ reason: 'the rule Bash asks for it', matchedRule: 'Bash', unsandboxed: false }),
    ]);
  });

  it('refuses when it fails, unless a hook stops the run', async () => {
    const breaks: AskPort = async () => Promise.reject(new Error('broken'));
    const stops: AskPort = async () => Promise.reject(new AgentError('stop', { code: 'STOPPED_BY_HOOK' }));

    expect(await outcome(about(bash, 'ls'), {}, { ask: breaks })).toBe('permission_request: deny');
    await expect(judged(about(bash, 'ls'), {}, { ask: stops })).rejects.toMatchObject({ code: 'STOPPED_BY_HOOK' });
  });

  it('is not waited for after an abort', async () => {
    const abort = new AbortController();
    const refused = outcome(
      about(bash, 'ls', { signal: abort.signal }),
      {},
      { ask: () => new Promise(() => undefined) },
    );
    await nextTurn();

    abort.abort();

    expect(await refused).toBe('aborted: deny');
  });
});
