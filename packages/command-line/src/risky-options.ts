import { gitOptions } from './git-options.ts';
import type { RiskyOptions } from './risky-program.ts';

const find: RiskyOptions = {
  wholeWords: true,
  options: ['-exec', '-execdir', '-ok', '-okdir', '-delete', '-fls', '-fprint', '-fprint0', '-fprintf'],
};
const fd: RiskyOptions = { options: ['-x', '-X', '--exec', '--exec-batch'] };
const tar: RiskyOptions = {
  bareLetters: true,
  options: [
    ...'-I -F --to-command --checkpoint-action --use-compress-program --rsh-command --rmt-command'.split(' '),
    ...'--info-script --new-volume-script'.split(' '),
  ],
};
const sort: RiskyOptions = { options: ['-o', '--output', '--compress-program'] };
const bat: RiskyOptions = { options: ['--pager'] };

/**
 * Options that a rule such as `git *` does not cover. The list is what is known, not complete: an allowed program runs with everything it
 * can do, and reads the configuration of its directory. Interpreters (`awk`, `python`), build tools (`make`, `npm run`) and everything that
 * runs its arguments (`env`, `xargs`) are not here: a rule that names one allows any code.
 */
export const riskyOptions: Readonly<Record<string, RiskyOptions>> = {
  git: gitOptions,
  find,
  gfind: find,
  fd,
  fdfind: fd,
  tar,
  gtar: tar,
  bsdtar: tar,
  rg: { options: ['--pre', '--hostname-bin'] },
  sort,
  gsort: sort,
  shuf: { options: ['-o', '--output'] },
  iconv: { options: ['-o', '--output'] },
  ag: { options: ['--pager'] },
  ack: { options: ['--pager', '--ackrc'] },
  split: { options: ['--filter'] },
  ssh: { options: ['-o', '-F', '-I', '-E', '-S'] },
  scp: { options: ['-o', '-F', '-S', '-D'] },
  sftp: { options: ['-o', '-F', '-S', '-D', '-b'] },
  rsync: { options: ['-e', '--rsh', '--rsync-path', '--daemon', '--config'] },
  wget: { options: ['-e', '--execute', '--use-askpass', '--config'] },
  // The library of an engine runs when it is loaded.
  curl: { options: ['-K', '--config', '--engine', '--libcurl', '--trace', '--trace-ascii'] },
  man: { options: ['-P', '-H', '-C', '--pager', '--html', '--config-file', '--preprocessor'] },
  zip: { options: ['-T', '--unzip-command', '--test'] },
  hg: {
    obeysDirectory: true,
    options: '--config --cwd --repository -R --tool -t --ssh -e --remotecmd --command --daemon-postexec'.split(' '),
    // Its commands may be shortened: `bisect`, `config`, `debug..`, `export`, `extdiff`, `serve`.
    oddSubcommand: /^(bis|conf|deb|ex|se)/,
  },
  svn: { options: ['--diff-cmd', '--diff3-cmd', '--editor-cmd', '--config-option', '--config-dir'] },
  go: { wholeWords: true, options: ['-exec', '-toolexec', '-vettool', '-overlay', '-modfile', '-C'] },
  cargo: { options: ['--config', '-C'] },
  npm: {
    options: ['--script-shell', '--git', '--prefix', '-C', '--node-options', '--editor', '--viewer', '--userconfig'],
  },
  pnpm: { options: ['--script-shell', '--dir', '-C', '--shell-mode'] },
  tcpdump: { options: ['-z', '-w'] },
  tree: { options: ['-o'] },
  bat,
  batcat: bat,
  // A configuration of theirs names programs that fetch a password.
  kubectl: { options: ['--kubeconfig'] },
  helm: { options: ['--kubeconfig', '--post-renderer'] },
  jj: {
    obeysDirectory: true,
    options: ['--config', '--config-toml', '--config-file', '-R', '--repository', '--tool'],
    globalValues: '-R --repository --at-operation --at-op --color --config --config-toml --config-file'.split(' '),
    subcommands: { bisect: true, config: true, fix: true, run: true, util: true },
  },
  gh: {
    options: ['--browser'],
    // Those that run or fetch programs, or show the token; options of git follow `--`.
    subcommands: {
      alias: true,
      auth: [/^status(?! .*-t|.*--s)/],
      codespace: true,
      config: true,
      copilot: true,
      cs: true,
      ext: true,
      extension: true,
      extensions: true,
      repo: ['--'],
    },
  },
  // They show what a process was started with, its environment.
  ps: { words: /^(?=[A-Za-z]+$)[^e]*e|^-(?=\w+$)(?=[^e]*e)[^x]*x|environ/ },
  uniq: { operands: 1, globalValues: ['-f', '-s', '-w'] },
  xxd: {
    operands: 1,
    globalValues: ['-c', '-cols', '-g', '-groupsize', '-l', '-len', '-n', '-name', '-o', '-s', '-seek'],
  },
  // A key file names a program that each file is passed through; further options may follow the `$` of a value.
  less: { options: ['-o', '-O', '-k'], words: /^\+|^--(?:lo|le)|^-.*\$/i },
};
