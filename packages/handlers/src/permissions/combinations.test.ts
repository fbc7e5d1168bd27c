import { collect, memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { about, edit, journaled, policyOf, read, roundOf, write } from '../../test/permission-values.ts';
import { answering } from '../../test/values.ts';
import { permissionHandler } from './permission-handler.ts';
import { keyOf } from './recorded-answer.ts';
import type { CanUseTool, PermissionAnswer, PermissionMode } from './types.ts';

const both = [false, true];
const sources = {
  denyRule: both,
  askRule: both,
  isProtected: both,
  mode: ['default', 'acceptEdits', 'bypassPermissions', 'plan'] satisfies PermissionMode[],
  allowRule: both,
  hook: [undefined, 'allow', 'ask'] as const,
  inSandbox: both,
  tool: ['readonly', 'write', 'own'] as const,
  canUseTool: [undefined, 'allow', 'ask', 'deny', 'throw'] as const,
  port: [undefined, 'approve', 'deny'] as const,
  /** The step that had asked when it was allowed before a restart. */
  approvedAt: [undefined, 'ask_rule', 'default'] as const,
};
type Sources = { [name in keyof typeof sources]: (typeof sources)[name][number] };

/** Every combination, one at a time. */
function* combinations(): Generator<Sources, void, void> {
  let all: Record<string, unknown>[] = [{}];
  for (const [name, values] of Object.entries(sources).slice(0, -3)) {
    all = all.flatMap((one) => values.map((value) => ({ ...one, [name]: value })));
  }
  for (const one of all) {
    for (const canUseTool of sources.canUseTool) {
      for (const port of sources.port) {
        // safe: every key of `sources` is there
        for (const approvedAt of sources.approvedAt) yield { ...one, canUseTool, port, approvedAt } as Sources;
      }
    }
  }
}

/** The order of one decision in the words of the specification, without a line of the code under test. */
function expected(given: Sources): 'runs' | 'refused' {
  const { mode, hook, tool, canUseTool, port } = given;
  if (given.denyRule) return 'refused';
  if (mode === 'plan' && tool !== 'readonly') return 'refused';
  const mustAsk = given.askRule || given.isProtected || hook === 'ask';
  const isApproved = given.allowRule || hook === 'allow' || given.inSandbox;
  if (!mustAsk && (isApproved || mode === 'bypassPermissions')) return 'runs';
  if (!mustAsk && mode === 'acceptEdits' && tool !== 'readonly') return 'runs';
  if (!mustAsk && canUseTool === undefined && tool !== 'write') return 'runs';
  const asking = given.askRule
    ? 'ask_rule'
    : hook === 'ask'
      ? 'hook'
      : given.isProtected
        ? 'protected_path'
        : 'default';
  if (given.approvedAt === asking) return 'runs';
  if (canUseTool === 'allow') return 'runs';
  if (canUseTool === 'deny' || canUseTool === 'throw') return 'refused';
  return port === 'approve' ? 'runs' : 'refused';
}

const workspace = memoryWorkspace();
const tools = { readonly: read, write: edit, own: write };
const answers: Record<'allow' | 'ask' | 'deny' | 'throw', CanUseTool> = {
  allow: async () => ({ behavior: 'allow' }),
  ask: async () => ({ behavior: 'ask' }),
  deny: async () => ({ behavior: 'deny', message: 'no' }),
  throw: async () => {
    throw new Error('broken');
  },
};

async function actual(given: Sources, keys: ReadonlyMap<string, string | undefined>): Promise<'runs' | 'refused'> {
  const tool = tools[given.tool];
  const path = given.isProtected ? '/workspace/.ssh/key' : '/workspace/a';
  const call = about(tool, path, { workspace, ...(given.hook ? { approval: given.hook } : {}) });
  const past = given.approvedAt
    ? { 'permission:c1': { decision: 'allow', key: keys.get(`${tool.name} ${path} ${given.approvedAt}`) } }
    : {};
  const rule = (isThere: boolean) => (isThere ? [tool.name] : []);
  const handler = permissionHandler({
    policy: policyOf({
      mode: given.mode,
      deny: rule(given.denyRule),
      ask: rule(given.askRule),
      allow: rule(given.allowRule),
      own: ['Write'],
    }),
    sandboxed: () => (given.inSandbox ? 'auto_allow' : 'inside'),
    ...(given.canUseTool ? { canUseTool: answers[given.canUseTool] } : {}),
    ...(given.port ? { ask: async (): Promise<PermissionAnswer> => ({ decision: given.port! }) } : {}),
  });
  const { value } = await collect(handler.wrapToolCall!(call, answering('ran'), journaled(past).context));
  return value.isError ? 'refused' : 'runs';
}

async function keys() {
  const keyed = Object.values(tools).flatMap((tool) =>
    ['/workspace/.ssh/key', '/workspace/a'].flatMap((path) =>
      (['ask_rule', 'default'] as const).map(async (step) => {
        const round = roundOf(about(tool, path, { workspace }), step, [path]);
        return [`${tool.name} ${path} ${step}`, await keyOf(round, round)] as const;
      }),
    ),
  );
  return new Map(await Promise.all(keyed));
}

describe('permissionHandler', () => {
  it('decides every combination of sources as the order says, and a deny wins in each', {
    timeout: 120_000,
  }, async () => {
    const known = await keys();
    const wrong: Sources[] = [];
    let count = 0;
    for (const given of combinations()) {
      count += 1;
      if ((await actual(given, known)) !== expected(given)) wrong.push(given);
    }

    expect(wrong.slice(0, 3)).toEqual([]);
    expect(count).toBe(2 ** 5 * 4 * 3 ** 4 * 5);
  });
});
