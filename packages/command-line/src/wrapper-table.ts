/** Describes where a program that runs its arguments has the command among its words. */
export interface Wrapper {
  /** Short options without a value. */
  readonly flags?: string;
  /** Short options with one, attached or as the next word. */
  readonly values?: string;
  /** Long options without a value. */
  readonly long?: readonly string[];
  /** Long options with one, which may be the next word. */
  readonly longValues?: readonly string[];
  /** The number of words before the command, such as the time of `timeout`. */
  readonly skip?: number;
  /** True when `NAME=value` may precede the command. */
  readonly assignments?: true;
}

/** Programs that run their arguments, with the options of each; an unknown option makes every word a possible program. */
export const wrappers: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  [
    'env',
    {
      flags: 'i0v',
      values: 'uC',
      long: ['ignore-environment', 'null', 'debug'],
      longValues: ['unset', 'chdir'],
      assignments: true,
    },
  ],
  [
    'sudo',
    {
      flags: 'AbEHnPSkKNB',
      values: 'uCgDhpRrTtU',
      long: ['askpass', 'background', 'preserve-env', 'set-home', 'non-interactive', 'stdin'],
      longValues: ['user', 'group', 'host', 'chdir', 'chroot', 'prompt', 'role', 'type', 'close-from'],
      assignments: true,
    },
  ],
  ['doas', { flags: 'Ln', values: 'aCu' }],
  [
    'timeout',
    {
      flags: 'v',
      values: 'ks',
      long: ['foreground', 'preserve-status', 'verbose'],
      longValues: ['kill-after', 'signal'],
      skip: 1,
    },
  ],
  ['gtimeout', { flags: 'v', values: 'ks', long: ['foreground', 'preserve-status'], skip: 1 }],
  ['nice', { flags: '0123456789', values: 'n', longValues: ['adjustment'] }],
  ['nohup', {}],
  [
    'time',
    { flags: 'pvaqlh', values: 'fo', long: ['portability', 'verbose', 'append'], longValues: ['format', 'output'] },
  ],
  [
    'xargs',
    {
      flags: '0rtpxo',
      values: 'adEILnPs',
      long: ['null', 'no-run-if-empty', 'verbose', 'interactive', 'exit', 'open-tty'],
      longValues: ['arg-file', 'delimiter', 'max-args', 'max-chars', 'max-procs', 'process-slot-var'],
    },
  ],
  ['command', { flags: 'pvV' }],
  ['exec', { flags: 'cl', values: 'a' }],
  ['builtin', {}],
  ['stdbuf', { values: 'ioe', longValues: ['input', 'output', 'error'] }],
  ['setsid', { flags: 'cfw', long: ['ctty', 'fork', 'wait'] }],
  ['ionice', { flags: 't', values: 'cn', long: ['ignore'], longValues: ['class', 'classdata'] }],
  ['chroot', { skip: 1, long: ['skip-chdir'] }],
  ['busybox', {}],
  ['toybox', {}],
]);

/** Programs that run a command or a shell text among their words, without a known syntax: any word may be it. */
export const looseWrappers: ReadonlySet<string> = new Set([
  ...'su runuser pkexec script flock watch parallel strace ltrace gdb lldb perf valgrind'.split(' '),
  ...'unshare nsenter taskset chrt numactl setarch linux32 linux64 prlimit setpriv capsh'.split(' '),
  ...'xvfb-run fakeroot fakechroot proot bwrap firejail entr caffeinate systemd-run start-stop-daemon'.split(' '),
  ...'cgexec dbus-run-session dbus-launch torsocks torify proxychains proxychains4 tsocks hyperfine'.split(' '),
  ...'npx bunx pnpx uvx pipx corepack rlwrap unbuffer expect tmux screen dtach abduco'.split(' '),
  ...'gtime gstdbuf genv gnice gnohup gxargs ccache dotenv cross-env coproc catchsegv'.split(' '),
  ...'sg newgrp chpst softlimit envdir setuidgid daemonize run-parts gosu tini jobs'.split(' '),
  ...'chronic ifne logsave dumb-init su-exec eatmydata faketime systemd-inhibit systemd-cat cpulimit'.split(' '),
  ...'ssh-agent sshpass aa-exec runcon nsjail s6-setuidgid watchexec nodemon concurrently sem envchain'.split(' '),
]);

/** Programs of {@link looseWrappers} that run the first plain word, whatever follows. */
export const packageRunners: ReadonlySet<string> = new Set(['npx', 'bunx', 'pnpx', 'uvx', 'pipx']);

/** Programs of which one subcommand runs a command. */
export const runnerSubcommands: Readonly<Record<string, readonly string[]>> = {
  npm: ['exec', 'x', 'explore'],
  pnpm: ['exec', 'dlx'],
  yarn: ['exec', 'dlx', 'run'],
  bun: ['x'],
  uv: ['run', 'tool'],
  poetry: ['run'],
  pipenv: ['run'],
  bundle: ['exec'],
  conda: ['run'],
  mise: ['exec', 'x'],
  asdf: ['exec'],
  direnv: ['exec'],
  rustup: ['run'],
  pyenv: ['exec'],
  rbenv: ['exec'],
  nodenv: ['exec'],
  nvm: ['exec', 'run'],
  fnm: ['exec'],
  volta: ['run'],
  pdm: ['run'],
  rye: ['run'],
  hatch: ['run'],
  pixi: ['run'],
  foreman: ['run'],
  honcho: ['run'],
  doppler: ['run'],
  op: ['run'],
  'aws-vault': ['exec'],
  sops: ['exec-env', 'exec-file'],
  nix: ['run', 'shell', 'develop'],
};
