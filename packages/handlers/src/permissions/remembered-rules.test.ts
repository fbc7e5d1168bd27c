import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import {
  about,
  bash,
  edit,
  fetcher,
  journaled,
  judged,
  outcome,
  plain,
  policyOf,
} from '../../test/permission-values.ts';
import { permissionHandler } from './permission-handler.ts';
import type { CanUseTool, CanUseToolOptions } from './types.ts';

/** What the host was told about a call. */
async function toldOf(...[call, rules, more]: Parameters<typeof judged>): Promise<CanUseToolOptions | undefined> {
  let told: CanUseToolOptions | undefined;
  const canUseTool: CanUseTool = async (_name, _input, options) => {
    told = options;
    return { behavior: 'deny', message: 'no' };
  };
  await judged(call, rules, { ...more, canUseTool });
  return told;
}

describe('suggestedRule', () => {
  it.each([
    [about(bash, 'npm test'), 'Bash(npm test)'],
    [about(edit, 'a(1),b.ts'), 'Edit(/workspace/a\\(1\\)\\,b.ts)'],
    [about(fetcher, 'https://example.com/x'), 'WebFetch(domain:example.com)'],
    [about(plain, 'x'), 'plain'],
  ])('is the rule that would have allowed the call %#', async (call, rule) => {
    const told = await toldOf(call, {});

    expect(told?.suggestedRule).toBe(rule);
    expect(await outcome(call, { allow: [rule] })).toBe('allow_rule: allow');
  });

  it.each(['time ls', 'FOO=1 npm test', 'ls > x', 'a && b', '$x', 'x'.repeat(300)])(
    'is absent where no rule would allow %s',
    async (line) => {
      expect((await toldOf(about(bash, line), {}))?.suggestedRule).toBeUndefined();
    },
  );

  it('is absent where a rule of the host, a hook or a protected path asks', async () => {
    expect((await toldOf(about(bash, 'ls'), { ask: ['Bash'] }))?.suggestedRule).toBeUndefined();
    expect((await toldOf(about(bash, 'cat .npmrc'), {}))?.suggestedRule).toBeUndefined();
    expect((await toldOf(about(bash, 'ls', { approval: 'ask' }), {}))?.suggestedRule).toBeUndefined();
  });

  const words = fc.array(fc.stringMatching(/^[\w./:=@,+-]{1,8}$/), { minLength: 1, maxLength: 4 });
  test.prop([words])('always allows the very line it is made for', async (line) => {
    const call = about(bash, line.join(' '));
    const rule = (await toldOf(call, {}))?.suggestedRule;

    if (rule !== undefined) expect(await outcome(call, { allow: [rule] })).toBe('allow_rule: allow');
  });
});

describe('remember', () => {
  const remembers =
    (...remember: readonly unknown[]): CanUseTool =>
    async () =>
      ({ behavior: 'allow', remember }) as never;

  it('allows further calls without a question, below every deny and ask rule', async () => {
    const policy = policyOf({ deny: ['Bash(npm publish *)'], ask: ['Bash(npm test *)'] });
    const asked: unknown[] = [];
    const canUseTool: CanUseTool = async (_name, input) => {
      asked.push((input as { text: string }).text);
      return { behavior: 'allow', remember: ['Bash(npm *)'] };
    };
    const handler = permissionHandler({ policy, canUseTool, home: '/home/me' });
    const { context } = journaled();
    const outputs: string[] = [];

    for (const line of ['npm ci', 'npm run x', 'npm test', 'npm publish', 'ls']) {
      const stream = handler.wrapToolCall!(about(bash, line), runs, context);
      let step = await stream.next();
      while (!step.done) step = await stream.next();
      outputs.push(step.value.output);
    }

    expect(asked).toEqual(['npm ci', 'npm test', 'ls']);
    expect(outputs).toEqual(['ran', 'ran', 'ran', expect.stringContaining('Bash(npm publish *) denies'), 'ran']);
  });

  it('is kept by the port of the host, before the call runs', async () => {
    const kept: unknown[] = [];
    const remember = async (rules: readonly string[]) => void kept.push(...rules);

    const { value } = await judged(about(bash, 'ls'), {}, { canUseTool: remembers('Bash(ls *)', 'Edit'), remember });

    expect([kept, value.output]).toEqual([['Bash(ls *)', 'Edit'], 'ran']);
  });

  it.each([['Bash('], ['*'], ['Bash()'], [7], ['Bash(ls)', 'Ba sh']])(
    'refuses the call when the rule %j cannot be meant',
    async (...rules) => {
      const { value } = await judged(about(bash, 'ls'), {}, { canUseTool: remembers(...rules) });

      expect(value).toMatchObject({ isError: true, output: expect.stringContaining('canUseTool') });
    },
  );
});

async function* runs() {
  return { output: 'ran', isError: false };
}

describe('an answer about a path', () => {
  it('does not hold for the place to which the path leads by the time it is used', async () => {
    const call = about(edit, 'dir/x');
    const { workspace } = call;
    const written: string[] = [];
    const tool = async function* (allowed: typeof call) {
      await allowed.workspace.writeFile('dir/x', new Uint8Array()).then(
        () => written.push('written'),
        (error: Error) => written.push(error.message),
      );
      return { output: '', isError: false };
    };
    const swapping: CanUseTool = async () => {
      await workspace.makeDirectory('/outside');
      await workspace.makeLink('dir', '/outside');
      return { behavior: 'allow' };
    };

    for (const canUseTool of [swapping, async () => ({ behavior: 'allow' }) as const]) {
      const handler = permissionHandler({ policy: policyOf(), canUseTool });
      const stream = handler.wrapToolCall!(call, tool, journaled().context);
      while (!(await stream.next()).done);
    }

    expect(written).toEqual([expect.stringMatching(/leads to \/outside\/x.*ask again/), 'written']);
  });
});
