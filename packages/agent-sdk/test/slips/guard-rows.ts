import { permissionHandler } from '@x/handlers';
import { toolNamesHandler } from '@x/handlers/internal';
import type { Row } from './row.ts';

/** The guards that judge calls by rules and by names. */
export const guardRows: readonly Row[] = [
  {
    name: 'handlers: permissionHandler',
    act: permissionHandler,
    valid: () => ({ policy: { mode: 'default', isOwn: () => true } }),
    keys: ['policy', 'canUseTool'],
    wrong: { policy: { mode: 'defualt', isOwn: () => true } },
  },
  {
    name: 'handlers: permissionHandler, policy',
    path: 'policy',
    act: (policy) => permissionHandler({ policy }),
    valid: () => ({ mode: 'default', isOwn: () => true }),
    keys: ['deny', 'allow'],
    wrong: { deny: ['Bash(rm *)'], ask: ['Bash'], allow: 'Read', mode: 7 },
  },
  {
    name: 'handlers: permissionHandler, questions',
    path: 'questions',
    act: (questions) => permissionHandler({ policy: { mode: 'default' }, questions }),
    valid: () => ({ askPolicy: 'wait' }),
    keys: ['askPolicy', 'ttlMs'],
    wrong: { askPolicy: true, ttlMs: '5' },
  },
  {
    name: 'handlers/internal: toolNamesHandler',
    act: toolNamesHandler,
    valid: () => ({ disallowed: ['Bash'] }),
    keys: ['allowed', 'disallowed'],
    wrong: { disallowed: 'Bash', allowed: {} },
  },
];
