import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentMail, SpawnedAgent } from '../organization.ts';
import type { OrganizationUnderTest } from './organization-under-test.ts';
import { roleWith } from './role-store-case.ts';

/** A promise of an organisation, and its check. */
export type OrganizationCase = readonly [
  name: string,
  check: (under: OrganizationUnderTest, roleId: string) => Promise<void>,
];

/** An agent of the role, created by root, with or without a task. */
export function agentWith(
  id: string,
  roleId: string,
  more: { readonly task?: string; readonly createdBy?: string } = {},
): SpawnedAgent {
  return { id, roleId, role: roleWith({ id: roleId, name: roleId }), createdBy: 'root', ...more };
}

/** A message with a fresh id. */
export function mailTo(to: string, text: string, from = 'root'): AgentMail {
  return { id: crypto.randomUUID(), from, to, text };
}

/** The options of a call that nobody aborts. */
export function calmly(): { readonly signal: AbortSignal } {
  return { signal: new AbortController().signal };
}

/** The texts that the agent got, as soon as there are `count`; limited by the patience of the case. */
export async function toldAtLeast(
  under: OrganizationUnderTest,
  agentId: string,
  count: number,
): Promise<readonly string[]> {
  for (;;) {
    const told = await under.toldTo(agentId);
    if (told.length >= count) return told;
    await sleep(2);
  }
}
