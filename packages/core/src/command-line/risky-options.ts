/** Options and words of one program by which it runs another one, or writes a file of the caller's choice. */
export interface RiskyOptions {
  /**
   * Anywhere: `--long` (also shortened, or with `=value`), `-x` (also among other letters, or with its value attached), or a
   * whole word such as `-exec` of `find`, when `wholeWords` is set.
   */
  readonly options?: readonly string[];
  /** Options are one dash and a whole word. */
  readonly wholeWords?: true;
  /** Before the subcommand only. */
  readonly globalOptions?: readonly string[];
  /** Options before the subcommand that take the next word. */
  readonly globalValues?: readonly string[];
  /** Subcommands: `true` for as a whole, or the options and words that are risky behind it. */
  readonly subcommands?: Readonly<Record<string, true | readonly string[]>>;
  /** Subcommands that are risky by how they are spelled. */
  readonly oddSubcommand?: RegExp;
  /** It runs what the configuration of its directory says, whatever it is asked to do. */
  readonly obeysDirectory?: true;
  /** Words that are risky wherever they stand, but for those behind these subcommands, which take them for text. */
  readonly words?: RegExp;
  readonly textSubcommands?: readonly string[];
  /** The first word is letters of options even without a dash. */
  readonly bareLetters?: true;
}

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
 * What a rule such as `git *` does not cover. It is what is known, not all there is: a program that is allowed runs with
 * everything it can do, and reads the configuration of the directory it runs in. Interpreters (`awk`, `python`), build tools
 * (`make`, `npm run`) and everything that runs its arguments (`env`, `xargs`) are not here: a rule that names one allows any code.
 */
export const riskyOptions: Readonly<Record<string, RiskyOptions>> = {
  git: {
    obeysDirectory: true,
    // `x/y` runs the file `git-x/y`; names with `--` are its own helpers, which run what they are told.
    oddSubcommand: /\/|--/,
    options: [
      ...'--exec-path --exec --upload-pack --receive-pack --config-env --git-dir --extcmd --ext-diff'.split(' '),
      ...'--output --output-directory --open-files-in-pager --template --textconv --to-cmd --cc-cmd'.split(' '),
      ...'--smtp-server --sendmail-cmd --browser --tool --work-tree'.split(' '),
    ],
    globalOptions: ['-c', '-C', '-p', '--paginate', '--bare'],
    globalValues: [
      '-c',
      '-C',
      '--git-dir',
      '--work-tree',
      '--namespace',
      '--config-env',
      '--exec-path',
      '--attr-source',
    ],
    // A helper of a transport: `ext::sh -c ..` runs its address.
    words: /^[A-Za-z0-9][\w+.-]*::/,
    textSubcommands: ['blame', 'commit', 'diff', 'grep', 'log', 'show', 'tag'],
    subcommands: {
      apply: ['--unsafe-paths'],
      archive: ['-o'],
      bisect: ['run'],
      bugreport: true,
      bundle: ['create'],
      'checkout-index': ['--prefix'],
      clone: ['-c', '--config', '-u'],
      config: true,
      credential: true,
      cvsimport: true,
      daemon: true,
      diagnose: true,
      difftool: true,
      'fast-import': true,
      'filter-branch': true,
      'filter-repo': true,
      'for-each-repo': true,
      'format-patch': ['-o'],
      grep: ['-O'],
      help: true,
      hook: true,
      instaweb: true,
      'ls-remote': ['-u'],
      mailsplit: true,
      maintenance: true,
      'merge-index': true,
      mergetool: true,
      p4: true,
      rebase: ['-x', '-i', '--interactive', '--edit-todo'],
      'remote-ext': true,
      'remote-fd': true,
      'send-email': true,
      shell: true,
      submodule: ['foreach'],
      svn: true,
      'upload-archive': true,
      'upload-pack': true,
      'receive-pack': true,
      'web--browse': true,
    },
  },
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
  curl: { options: ['-K', '--config'] },
  man: { options: ['-P', '-H', '-C', '--pager', '--html', '--config-file', '--preprocessor'] },
  zip: { options: ['-T', '--unzip-command', '--test'] },
  hg: { obeysDirectory: true, options: ['--config', '--cwd', '--repository', '-R', '--tool'] },
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
  jj: { obeysDirectory: true, options: ['--config', '--config-toml', '--config-file', '-R', '--repository', '--tool'] },
  less: { options: ['-o', '-O', '--log-file', '--LOG-FILE', '-k', '--lesskey-file'], words: /^\+/ },
};
