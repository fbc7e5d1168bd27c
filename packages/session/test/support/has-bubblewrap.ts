import { spawnSync } from 'node:child_process';

const wall = ['--unshare-user', '--unshare-net', '--ro-bind', '/', '/', 'true'];
const isMeant = process.env['CI'] === 'true' || process.env['VERIFY_STRICT'] === '1';

/** True where commands can be contained. Where CI has to have bubblewrap, its absence is a failure and no reason to skip. */
export const hasBubblewrap: boolean =
  process.platform === 'linux' && (isMeant || spawnSync('bwrap', wall).status === 0);
/** For the names of tests. */
export const NEEDS_BUBBLEWRAP: string = hasBubblewrap ? '' : ' (needs bubblewrap and user namespaces)';
