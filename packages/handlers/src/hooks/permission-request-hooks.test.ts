import type { ToolCall } from '@x/core';
import { describe, expect, it } from 'vitest';
import { bash, hooked, lying, notifications } from '../../test/hooked.ts';
import { journaledRun } from '../../test/journaled-run.ts';
import type { HookConfig } from './types.ts';

describe('PermissionRequest', () => {
  const asked = async (config: HookConfig, call: ToolCall = bash()) => {
    const { run, emitted } = journaledRun();
    const { hooks } = hooked(config, { run });
    return { answer: await hooks.permissionRequest(call, run), emitted };
  };
  const request = (...outputs: readonly unknown[]): HookConfig => ({
    PermissionRequest: [{ hooks: outputs.map(lying) }],
  });

  it.each([
    ['nothing', [], { decision: 'ask' }],
    ['approve', [{ decision: 'approve', reason: 'known' }], { decision: 'approve', reason: 'known' }],
    [
      'deny after approve',
      [{ decision: 'approve' }, { decision: 'deny', reason: 'no' }],
      { decision: 'deny', reason: 'no' },
    ],
    ['ask after approve', [{ decision: 'approve' }, { decision: 'ask' }], { decision: 'ask' }],
    ['no opinion', [{}], { decision: 'ask' }],
    ['allow, which is the same', [{ decision: 'allow' }], { decision: 'approve' }],
    ['a broken word', [{ decision: 'yes' }], { decision: 'deny' }],
    ['a misspelt key', [{ decison: 'allow' }], { decision: 'deny' }],
    ['approve, then a broken word', [{ decision: 'approve' }, { decision: 'Approve' }], { decision: 'deny' }],
  ])('%s', async (_what, outputs, expected) => {
    expect((await asked(request(...outputs))).answer).toMatchObject(expected);
  });

  it('goes by the name of the tool', async () => {
    const config: HookConfig = { PermissionRequest: [{ matcher: 'Bash', hooks: [lying({ decision: 'approve' })] }] };

    expect((await asked(config, bash('ls', 'BashOutput'))).answer).toEqual({ decision: 'ask' });
  });

  it('emits what its hooks have to say', async () => {
    const { emitted } = await asked(request({ systemMessage: 'look here' }));

    expect(notifications(emitted, 'hook_message')).toEqual(['look here']);
  });

  it('denies when the run is stopped meanwhile', async () => {
    const { run } = journaledRun({ signal: AbortSignal.abort() });
    const { hooks } = hooked(request({ decision: 'approve' }), { run });

    expect(await hooks.permissionRequest(bash(), run)).toEqual({ decision: 'deny', reason: 'the run was stopped' });
  });
});
