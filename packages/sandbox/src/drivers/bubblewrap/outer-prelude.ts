import { readdirSync, readFileSync } from 'node:fs';

/** Numbers from 3 on that belong to the wall itself. */
const OWN = 1;
/** Reading the flags of more costs more than another shell. */
const MOST = 64;
const CLOSE_ON_EXEC = 0o2000000;

/** Closes all descriptors but the first four. */
const CLOSING = `for fd in /proc/self/fd/*; do fd=\${fd##*/}; [ "$fd" -gt ${2 + OWN} ] && eval "exec $fd>&-"; done; `;

/**
 * What has to happen before the wall is built, as a program that then starts it: closing descriptors that this process was given and would
 * pass on, and entering a process group. Empty when there is nothing to do.
 */
export function outerPrelude({ entrance }: { readonly entrance?: string | undefined }): string[] {
  const closing = passesDescriptorsOn() ? CLOSING : '';
  if (closing === '' && entrance === undefined) return [];
  const entering = entrance === undefined ? '' : 'echo 0 >"$0" || exit 126; ';
  return [closing === '' ? '/bin/sh' : '/bin/bash', '-c', `${entering}${closing}exec "$@"`, entrance ?? 'sh'];
}

/** True when this process has descriptors that its children would inherit: Node opens none, but may have been given some. */
function passesDescriptorsOn(): boolean {
  const descriptors = readdirSync('/proc/self/fd').filter((name) => Number(name) > 2);
  if (descriptors.length > MOST) return true;
  return descriptors.some((name) => (flagsOf(name) & CLOSE_ON_EXEC) === 0);
}

function flagsOf(descriptor: string): number {
  try {
    const [, flags] = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1')) ?? [];
    return flags === undefined ? 0 : Number.parseInt(flags, 8);
  } catch {
    return CLOSE_ON_EXEC; // closed meanwhile, as that of the listing is
  }
}
