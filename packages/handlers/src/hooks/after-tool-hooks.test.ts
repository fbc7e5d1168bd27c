import { unknownEffect } from '@x/core/internal';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { bash, hanging, hooked, lying, telling } from '../../test/hooked.ts';
import { journaledRun } from '../../test/journaled-run.ts';

describe('PostToolUse', () => {
  it('is told of what ran and what came out, and changes it', async () => {
    const { hook, inputs } = telling({ updatedOutput: 'REDACTED' });
    const { call } = hooked({ PostToolUse: [{ matcher: 'Bash', hooks: [hook] }] });

    const { value } = await call({}, { output: 'token=1', isError: false, data: { token: 1 } });

    expect(inputs).toMatchObject([
      { tool_name: 'Bash', tool_use_id: 'c1', tool_input: { command: 'ls' }, tool_output: 'token=1' },
    ]);
    expect(value).toEqual({ output: 'REDACTED', isError: false });
  });

  it('keeps what only this process sees while the output stays', async () => {
    const { call } = hooked({ PostToolUse: [{ hooks: [lying({ additionalContext: 'lint it' })] }] });

    expect((await call({}, { output: 'ok', isError: false, data: 1 })).value).toEqual({
      output: 'ok\n\nlint it',
      isError: false,
      data: 1,
    });
  });

  it('tells the model why, when a hook denies too late', async () => {
    const { call } = hooked({ PostToolUse: [{ hooks: [lying({ decision: 'block', reason: 'tests fail' })] }] });

    expect((await call({}, { output: 'ok', isError: false })).value.output).toBe('ok\n\ntests fail');
  });

  it('ends the run after a call whose result is kept', async () => {
    const { call, pipeline, run } = hooked({
      PostToolUse: [{ hooks: [lying({ continue: false, stopReason: 'seen enough' })] }],
    });

    const { value } = await call({}, { output: 'ok', isError: false });

    expect(value.output).toBe('ok');
    await expect(pipeline.beforeModel([], run)).rejects.toMatchObject({ code: 'STOPPED_BY_HOOK' });
  });

  it('is told of nothing that did not run', async () => {
    const after = telling();
    const failed = telling();
    const { hooks, run } = hooked({
      PostToolUse: [{ hooks: [after.hook] }],
      PostToolUseFailure: [{ hooks: [failed.hook] }],
    });
    const refusing = async function* () {
      return { output: 'no', isError: true, interrupted: 'not_run' as const };
    };

    const { value } = await collect(hooks.inner.wrapToolCall!(bash(), refusing, run));

    expect(value.output).toBe('no');
    expect([after.inputs, failed.inputs]).toEqual([[], []]);
  });

  it('passes on every event of the tool, and ends it when the reader leaves', async () => {
    const { hooks, run } = hooked({});
    let cleaned = false;
    const stream = hooks.inner.wrapToolCall!(
      bash(),
      async function* (call) {
        try {
          yield { type: 'tool_started', id: call.id };
          yield { type: 'tool_progress', id: call.id, delta: 'a' };
          return { output: '', isError: false };
        } finally {
          cleaned = true;
        }
      },
      run,
    );

    const first = await stream.next();
    await stream.return(undefined as never);

    expect(first.value).toEqual({ type: 'tool_started', id: 'c1' });
    expect(cleaned).toBe(true);
  });
});

describe('PostToolUseFailure', () => {
  const failing = (aborted = false) => {
    const { hook, inputs } = telling({ additionalContext: 'try another way' });
    const { run } = journaledRun(aborted ? { signal: AbortSignal.abort() } : {});
    return { inputs, ...hooked({ PostToolUseFailure: [{ hooks: [hook] }] }, { run }) };
  };
  const after = async (result: Parameters<ReturnType<typeof hooked>['next']>[0], aborted = false) => {
    const { hooks, run, next, inputs } = failing(aborted);
    const { value } = await collect(hooks.inner.wrapToolCall!({ ...bash(), signal: run.signal }, next(result), run));
    return { value, inputs };
  };

  it('is told of a tool that failed, and speaks to the model', async () => {
    const { value, inputs } = await after({ output: 'exit code 1', isError: true });

    expect(inputs).toMatchObject([
      { error: 'exit code 1', error_type: 'tool_error', is_interrupt: false, is_timeout: false, tool_name: 'Bash' },
    ]);
    expect(value).toEqual({ output: 'exit code 1\n\ntry another way', isError: true });
  });

  it('is told of a tool that took too long', async () => {
    const { inputs } = await after({ output: 'Execution timeout', isError: true, interrupted: 'unknown' });

    expect(inputs).toMatchObject([{ error_type: 'timeout', is_interrupt: false, is_timeout: true }]);
  });

  it('is told of a tool that was interrupted, although the run is stopped', async () => {
    const { inputs } = await after(unknownEffect('Bash'), true);

    expect(inputs).toMatchObject([{ error_type: 'interrupted', is_interrupt: true, is_timeout: false }]);
  });

  it('does not hold up a stopped run', async () => {
    const { hook } = hanging();
    const { run } = journaledRun({ signal: AbortSignal.abort() });
    const { hooks, next } = hooked({ PostToolUseFailure: [{ hooks: [hook] }] }, { run });
    const started = performance.now();

    await collect(hooks.inner.wrapToolCall!(bash(), next(unknownEffect('Bash')), run));

    expect(performance.now() - started).toBeLessThan(20_000); // a hook has 60 s
  });

  it('is not told of a success (control)', async () => {
    expect((await after({ output: 'ok', isError: false })).inputs).toEqual([]);
  });
});
