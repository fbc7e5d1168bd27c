import { fc, test } from '@fast-check/vitest';
import { commandLineParser } from '@x/command-line';
import { describe, expect } from 'vitest';
import { known } from '../../test/permission-values.ts';
import { type CallToJudge, type DecideContext, decide } from './decide.ts';
import { parseRule } from './rule.ts';

const parse = await commandLineParser();
const rules = [
  'Bash',
  'Bash(git *)',
  'Bash(rm *)',
  'Bash(ls)',
  'Read',
  'Read(**/.env)',
  'Read(src/**)',
  'Edit',
  'Edit(src/**)',
  'Edit(~/x)',
  'Edit(/etc/*)',
  'WebFetch(domain:example.com)',
].map((text) => parseRule(text, { home: '/home/me' }));
const someRules = fc.subarray(rules);
const path = fc.constantFrom('/w/src/a', '/w/.env', '/etc/x', '/home/me/x', '/w/.git/config', '/w/.ssh/key', '/w');
const line = fc.constantFrom('git status', 'git log && rm x', 'ls', '$X y', 'env rm x', 'cat > .bashrc', '((', '');

const call: fc.Arbitrary<CallToJudge> = fc
  .record({
    tool: fc.constantFrom('Bash', 'Read', 'Edit', 'WebFetch', 'plain'),
    subject: fc.oneof(
      fc.record({
        type: fc.constant('paths' as const),
        paths: fc.array(fc.record({ spelled: path, resolved: path }), { maxLength: 2 }),
      }),
      fc.record({ type: fc.constant('command' as const), line }).map((one) => ({ ...one, parsed: parse(one.line) })),
      fc.record({
        type: fc.constant('url' as const),
        url: fc.constantFrom('https://example.com/', 'https://x.org/', 'x'),
      }),
      fc.constant(undefined),
    ),
    approval: fc.constantFrom(undefined, 'allow' as const, 'ask' as const),
    standing: fc.constantFrom(
      undefined,
      'auto_allow' as const,
      'inside' as const,
      'outside' as const,
      'outside_if_asked' as const,
    ),
  })
  .map(({ tool, subject, approval, standing }) => ({
    name: tool,
    tool: { name: tool, kind: known.get(tool)! },
    ...(subject ? { subject } : {}),
    ...(approval ? { approval } : {}),
    ...(standing ? { standing } : {}),
  }));
const context: fc.Arbitrary<DecideContext> = fc.record({
  mode: fc.constantFrom('default', 'acceptEdits', 'bypassPermissions', 'plan'),
  deny: someRules,
  ask: someRules,
  allow: someRules,
  kindOf: fc.constant((name: string) => known.get(name)),
  places: fc.constant({
    cwd: '/w',
    resolvedCwd: '/w',
    home: '/home/me',
    resolvedHome: '/home/me',
    resolvedBases: new Map(),
  }),
  ownDirectories: fc.constant(['/opt/sdk']),
});
const anyRule = fc.constantFrom(...rules);
const strictness = { allow: 0, ask: 1, deny: 2 } as const;

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

describe('decide', () => {
  test.prop([call, context], { numRuns: 500 })(
    'says the same of the same, and changes nothing it was given',
    (given, around) => {
      const first = decide(frozen(structuredClone(given)), around);

      expect(decide(given, { ...around, deny: [...around.deny] })).toEqual(first);
    },
  );

  test.prop([call, context, anyRule], { numRuns: 500 })(
    'is never looser for one more deny rule',
    (given, around, rule) => {
      const before = decide(given, around).decision;

      const after = decide(given, { ...around, deny: [...around.deny, rule] }).decision;

      expect(strictness[after]).toBeGreaterThanOrEqual(strictness[before]);
    },
  );

  test.prop([call, context, anyRule], { numRuns: 500 })(
    'is never looser for one more ask rule',
    (given, around, rule) => {
      const before = decide(given, around).decision;

      const after = decide(given, { ...around, ask: [rule, ...around.ask] }).decision;

      expect(strictness[after]).toBeGreaterThanOrEqual(strictness[before]);
    },
  );

  test.prop([call, context, anyRule], { numRuns: 500 })(
    'changes nothing but the want of an answer for one more allow rule',
    (given, around, rule) => {
      const before = decide(given, around);

      const after = decide(given, { ...around, allow: [...around.allow, rule] });

      if (before.step === 'default') expect(['default', 'allow_rule']).toContain(after.step);
      else expect(after.decision).toBe(before.decision);
    },
  );

  test.prop([call, context], { numRuns: 500 })(
    'allows nothing without an answer that would now run outside of the sandbox, in any mode and under any rule',
    (given, around) => {
      expect(decide({ ...given, standing: 'outside_if_asked' }, around).decision).not.toBe('allow');
    },
  );

  test.prop([call, context], { numRuns: 500 })(
    'is never looser in plan mode, and never allows there what is not readonly',
    (given, around) => {
      const inPlan = decide(given, { ...around, mode: 'plan' }).decision;

      expect(strictness[inPlan]).toBeGreaterThanOrEqual(
        strictness[decide(given, { ...around, mode: 'default' }).decision],
      );
      expect(given.tool.kind === 'readonly' || inPlan === 'deny').toBe(true);
    },
  );

  test.prop([call, context], { numRuns: 500 })('names the rule where a rule has decided', (given, around) => {
    const { step, matchedRule } = decide(given, around);

    expect(matchedRule !== undefined).toBe(['deny_rule', 'ask_rule', 'allow_rule'].includes(step));
  });
});
