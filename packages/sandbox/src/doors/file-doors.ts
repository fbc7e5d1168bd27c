import type { Workspace } from '@x/core';

/** The file half of a `Workspace`: everything that touches files, and nothing else. */
export type FileDoors = Pick<
  Workspace,
  'resolve' | 'readFile' | 'writeFile' | 'makeLink' | 'makeDirectory' | 'remove' | 'stat' | 'list'
>;
