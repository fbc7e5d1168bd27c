import type { Role } from '@x/tool-groups';

/** A role that root has made. */
export const workerRole = (more: Partial<Role> = {}): Role => ({
  id: 'worker',
  name: 'worker',
  rolePrompt: 'You work.',
  createdBy: 'root',
  createdAt: '2026-01-11T08:00:00.000Z',
  status: 'active',
  llmServiceId: null,
  ...more,
});
