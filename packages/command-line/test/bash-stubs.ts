import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const bashPath = '/bin/bash';

export const hasBash: boolean = existsSync(bashPath);

/** A bash whose programs are stubs that only say that they ran. */
export interface StubbedBash {
  /** The words of each stub that ran, its name first, and whether the line left a file behind. */
  run(line: string): { readonly ran: readonly (readonly string[])[]; readonly wrote: boolean };
  remove(): void;
}

/** `real` programs are linked beside the stubs, where the machine has them. Call `remove` at the end. */
export function stubbedBash(stubs: readonly string[], real: readonly string[] = []): StubbedBash {
  const root = mkdtempSync(join(tmpdir(), 'stubbed-bash-'));
  return {
    run: (line) => {
      // Each line has stubs and a log of its own: what another one has left in the background may still write to its.
      const [own, cwd] = [mkdtempSync(join(root, 'own-')), mkdtempSync(join(root, 'cwd-'))];
      const [bin, log] = [join(own, 'bin'), join(own, 'log')];
      mkdirSync(bin);
      for (const name of stubs) {
        writeFileSync(join(bin, name), `#!${bashPath}\nprintf '%s\\0' "$#" "\${0##*/}" "$@" >> '${log}'\n`);
        chmodSync(join(bin, name), 0o755);
      }
      for (const name of real) if (existsSync(`/usr/bin/${name}`)) symlinkSync(`/usr/bin/${name}`, join(bin, name));
      writeFileSync(log, '');
      const options = {
        cwd,
        env: { PATH: bin, HOME: cwd, LC_ALL: 'C.UTF-8' },
        input: '',
        timeout: 5_000,
        killSignal: 'SIGKILL',
      } as const;
      spawnSync(bashPath, ['-c', line], options);
      const ran = commandsIn(readFileSync(log, 'utf8').split('\0').slice(0, -1));
      const wrote = readdirSync(cwd).length > 0;
      for (const folder of [own, cwd]) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      return { ran, wrote };
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The log is, for each command, how many arguments it got, its name and the arguments; of one that was ended in between, less. */
function commandsIn(log: readonly string[]): readonly (readonly string[])[] {
  const commands: (readonly string[])[] = [];
  for (let at = 0, next = 0; at < log.length; at = next) {
    next = at + 2 + Number(log[at]);
    if (next <= log.length) commands.push(log.slice(at + 1, next));
  }
  return commands;
}
