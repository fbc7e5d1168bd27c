import { AgentTree } from '../src/agent-tree.ts';
import type { Role } from '../src/role.ts';
import { memoryOrganization } from '../src/testing/memory-organization.ts';
import { roleWith } from '../src/testing/role-store-case.ts';

export const role: Role = roleWith({ id: 'worker', name: 'worker' });

export function ids(tree: AgentTree): readonly string[] {
  return tree.list().map(({ id }) => id);
}

/** root - a (aa (aaa), ab), b */
export async function family(organization = memoryOrganization()) {
  const tree = new AgentTree({ organization });
  const made: readonly (readonly [string, string])[] = [
    ['a', 'root'],
    ['aa', 'a'],
    ['ab', 'a'],
    ['aaa', 'aa'],
    ['b', 'root'],
  ];
  for (const [id, createdBy] of made) await tree.spawn({ id, role, createdBy });
  return { tree, organization };
}

/** An organisation that does one kind of step when the gate is opened, and cares for no signal until then. */
export function gated(kind: 'spawn' | 'send' | 'terminate') {
  const gate = Promise.withResolvers<void>();
  const memory = memoryOrganization();
  const late = { signal: new AbortController().signal };
  const organization = {
    ...memory,
    [kind]: async (subject: never) => {
      await gate.promise;
      await memory[kind](subject, late);
    },
  };
  return { gate, organization, tree: new AgentTree({ organization }) };
}

/** Waits until it is so. */
export async function settled(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((resolve) => setImmediate(resolve));
}
