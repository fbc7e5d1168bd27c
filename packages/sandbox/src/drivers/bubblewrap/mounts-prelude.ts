import { readFileSync } from 'node:fs';
import { isBelow } from '../../policy/is-below.ts';

/**
 * The beginning of a shell line that ends it unless each path is mounted from the place of this name. A mount follows links, and a command
 * under way may have swapped one in since the paths were looked at; what is mounted does not change any more.
 */
export function mountsPrelude(paths: readonly string[]): string {
  const mounts = hostMounts();
  const tests = paths.map((path) => `[[ $${NAME} == *'${mountedAs(path, mounts)}'* ]]`);
  return `mapfile -t ${NAME} </proc/self/mountinfo; ${NAME}="\${${NAME}[*]}"; ${tests.join(' && ')} || { echo '${FAULT}' >&2; exit 1; }; unset ${NAME}; `;
}

const NAME = '__agent_sdk_mounts';
/** Told like a fault of bubblewrap itself. */
const FAULT = 'bwrap: a link came into a directory while the wall was built';

interface Mount {
  readonly device: string;
  /** The place in its file system. */
  readonly from: string;
  readonly at: string;
}

/** The mounts that this process sees (proc(5), mountinfo), names as they are written there. */
function hostMounts(): Mount[] {
  const lines = readFileSync('/proc/self/mountinfo', 'latin1').split('\n');
  return lines.flatMap((line) => {
    const [, , device, from, at] = line.split(' ');
    return device === undefined || from === undefined || at === undefined ? [] : [{ device, from, at }];
  });
}

/** Three fields of the line about a path that is mounted over itself. */
function mountedAs(path: string, mounts: readonly Mount[]): string {
  const name = mountField(path);
  let around: Mount | undefined;
  for (const mount of mounts) {
    if (isBelow(name, mount.at) && mount.at.length >= (around?.at.length ?? 0)) around = mount;
  }
  if (around === undefined) throw new Error(`${path} is in no mount of this process`);
  const rest = around.at === '/' ? name : name.slice(around.at.length);
  const from = around.from === '/' ? rest || '/' : `${around.from}${rest}`;
  const fields = ` ${around.device} ${from} ${name} `;
  return Buffer.from(fields, 'latin1').toString().replaceAll("'", `'\\''`);
}

/** A path as proc(5) has it in a field of `mountinfo`: bytes, some of them as octal numbers. */
export function mountField(path: string): string {
  return Buffer.from(path)
    .toString('latin1')
    .replace(/[ \t\n\\]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
