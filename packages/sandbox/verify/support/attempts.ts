/** One attempt to get out. It prints ESCAPED when it has done what it should not be able to do. */
export interface Attempt {
  readonly name: string;
  /** A line for bash. `$OUT` is a directory of the host, `$REPO` the sandbox's own, `$PORT` a port that the host listens on. */
  readonly line: string;
  /** Run without a wall it harms nothing and escapes: the control. */
  readonly control?: true;
}

const python = (code: string) => `python3 - <<'CODE'\n${code}\nCODE`;
const call = (number: string, ...values: string[]) =>
  python(
    `import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\nif libc.syscall(${[number, ...values].join(', ')}) >= 0: print('ESCAPED')`,
  );
const connects = (host: string) =>
  python(
    `import socket, os\ntry:\n  socket.create_connection((${JSON.stringify(host)}, int(os.environ['PORT'])), 2); print('ESCAPED')\nexcept OSError as error: print(error)`,
  );
const connectsTo = (path: string) =>
  python(
    `import socket, os\ntry:\n  s = socket.socket(socket.AF_UNIX); s.connect(${path}); print('ESCAPED')\nexcept OSError as error: print(error)`,
  );

/** Files of the host by every way there. */
const files: readonly Attempt[] = [
  { name: 'write by absolute path', line: 'echo x > $OUT/a && test -e $OUT/kept && echo ESCAPED', control: true },
  { name: 'read by absolute path', line: 'grep -q secret $OUT/secret && echo ESCAPED', control: true },
  {
    name: 'write by ..',
    line: 'cd $REPO; echo x > ../$(basename $OUT)/b && grep -q secret ../$(basename $OUT)/secret && echo ESCAPED',
    control: true,
  },
  { name: '/proc/self/root', line: 'grep -q secret /proc/self/root$OUT/secret && echo ESCAPED', control: true },
  { name: '/proc/1/root', line: 'grep -q secret /proc/1/root$OUT/secret && echo ESCAPED' },
  {
    name: '/proc/1/cwd',
    line: 'ls /proc/1/cwd/$(basename $OUT) && grep -q secret /proc/1/cwd/../$OUT/secret && echo ESCAPED',
  },
  {
    name: '/proc/self/cwd/..',
    line: 'grep -q secret /proc/self/cwd/../$(basename $OUT)/secret && echo ESCAPED',
    control: true,
  },
  {
    name: '/dev/fd of a directory',
    line: 'exec 9<.. && grep -q secret /dev/fd/9/$(basename $OUT)/secret && echo ESCAPED',
    control: true,
  },
  {
    name: 'descriptors of other processes',
    line: 'for d in /proc/[0-9]*/fd/*; do case $(readlink $d) in $OUT*) echo ESCAPED;; esac; done',
  },
  { name: 'home of the host', line: 'ls $HOST_HOME/.ssh/id && echo ESCAPED', control: true },
  { name: 'hard link to the outside', line: 'ln $OUT/secret hard && echo x >> hard && echo ESCAPED' },
  { name: 'shadow file', line: 'grep -q : /etc/shadow && echo ESCAPED' },
  { name: 'write below /etc', line: 'touch /etc/agent-hostile && echo ESCAPED' },
  { name: 'write below /usr', line: 'touch /usr/agent-hostile /usr/bin/agent-hostile && echo ESCAPED' },
  { name: 'new directory beside the root', line: 'mkdir /agent-hostile && echo ESCAPED' },
];

const links: readonly Attempt[] = [
  {
    name: 'link made in the call',
    line: 'ln -s $OUT l1; echo x > l1/c && grep -q secret l1/secret && echo ESCAPED',
    control: true,
  },
  {
    name: 'link that was there',
    line: 'echo x > old-link/d && grep -q secret old-link/secret && echo ESCAPED',
    control: true,
  },
  {
    name: 'chained relative links',
    line: 'ln -s .. l2; ln -s l2/$(basename $OUT) l3; grep -q secret l3/secret && echo ESCAPED',
    control: true,
  },
  {
    name: 'link over a protected name',
    line: 'ln -sfn $OUT .vscode; ln -sfn $OUT .git/hooks; ls -d .git/hooks/secret && echo ESCAPED',
  },
  { name: 'link at a name that is bound read-only', line: 'rm -f .npmrc; ln -s $OUT/secret .npmrc' },
  { name: 'the next command sees the link’s target', line: 'grep -q secret .npmrc && echo ESCAPED' },
];

const git: readonly Attempt[] = [
  { name: 'hook', line: 'echo "touch $OUT/hook" > .git/hooks/pre-commit && echo ESCAPED' },
  { name: 'hooks replaced', line: 'mv .git/hooks .git/h2 && mkdir .git/hooks && echo ESCAPED' },
  { name: 'configuration', line: 'git config core.fsmonitor id && echo ESCAPED' },
  {
    name: 'configuration by rename',
    line: 'cp .git/config c; echo "[core]" >> c; mv -f c .git/config && echo ESCAPED',
  },
  { name: '.git replaced', line: 'mv .git .old && cp -r .old .git && echo ESCAPED' },
  { name: '.git removed', line: 'rm -rf .git/config .git/hooks; test -s .git/config || echo ESCAPED' },
  {
    name: 'commondir',
    line: 'mkdir -p evil/hooks; echo ../evil > .git/commondir; printf "[core]\\n fsmonitor=id\\n" > evil/config',
  },
  { name: 'config.worktree', line: 'printf "[core]\\n fsmonitor=id\\n" > .git/config.worktree' },
  { name: 'worktrees', line: 'mkdir -p .git/worktrees/x; echo ../../../evil > .git/worktrees/x/commondir; true' },
  {
    name: 'placeholder filled',
    line: 'for n in .vscode .mcp.json .envrc; do touch $n/x && test -e $n/x && echo ESCAPED; done',
  },
  { name: 'placeholder moved away', line: 'mv .vscode v && echo ESCAPED; rmdir .idea && echo ESCAPED; true' },
  {
    name: 'start files of shells',
    line: 'for n in .bashrc .profile .zshrc .envrc; do echo "touch $OUT/rc" > $n && echo ESCAPED; done',
  },
];

const network: readonly Attempt[] = [
  { name: 'TCP to 127.0.0.1', line: connects('127.0.0.1'), control: true },
  { name: 'TCP to 0x7f000001', line: connects('0x7f000001'), control: true },
  { name: 'TCP to 2130706433', line: connects('2130706433'), control: true },
  { name: 'TCP to localhost', line: connects('localhost'), control: true },
  { name: 'TCP to 0.0.0.0', line: connects('0.0.0.0'), control: true },
  { name: 'TCP to ::1', line: connects('::1') },
  { name: 'TCP to the metadata address', line: connects('169.254.169.254') },
  {
    name: 'TCP to the machine’s own address',
    line: python(
      `import os, socket\nfor host in os.environ['ADDRESSES'].split():\n  try:\n    socket.create_connection((host, int(os.environ['PORT'])), 2); print('ESCAPED')\n  except OSError as error: print(error)`,
    ),
  },
  { name: 'bash /dev/tcp', line: 'exec 8<>/dev/tcp/127.0.0.1/$PORT && echo ESCAPED', control: true },
  {
    name: 'UDP',
    line: python(
      `import os, socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.sendto(b'x', ('127.0.0.1', int(os.environ['PORT'])))`,
    ),
  },
  { name: 'name service', line: 'getent hosts example.com && echo ESCAPED' },
  {
    name: 'ICMP',
    line: python(
      `import socket\ntry:\n  s = socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); s.sendto(b'\\x08\\0\\0\\0\\0\\0\\0\\0', ('127.0.0.1', 0)); print('ESCAPED')\nexcept OSError as error: print(error)`,
    ),
  },
  {
    name: 'packet socket',
    line: python(
      `import socket\ntry:\n  socket.socket(17, 3); print('ESCAPED')\nexcept OSError as error: print(error)`,
    ),
  },
  {
    name: 'vsock',
    line: python(
      `import socket\ntry:\n  socket.socket(40, 1); print('ESCAPED')\nexcept OSError as error: print(error)`,
    ),
  },
  { name: 'UNIX socket outside', line: connectsTo("os.environ['OUT'] + '/sock'"), control: true },
  { name: 'UNIX socket in the workspace', line: connectsTo("'own.sock'"), control: true },
  { name: 'abstract UNIX socket', line: connectsTo("'\\0agent-hostile'"), control: true },
];

const kernel: readonly Attempt[] = [
  { name: 'unshare', line: 'unshare -Ur true && echo ESCAPED' },
  { name: 'unshare by number', line: call('272', '0x10000000') },
  { name: 'clone with a new user namespace', line: call('56', '0x10000011', '0', '0', '0', '0') },
  { name: 'clone3', line: call('435', '0', '0') },
  {
    name: 'setns',
    line: python(
      `import ctypes, os\nif ctypes.CDLL(None).setns(os.open('/proc/1/ns/mnt', 0), 0) == 0: print('ESCAPED')`,
    ),
  },
  { name: 'mount', line: 'mount -t tmpfs none /tmp && echo ESCAPED' },
  { name: 'umount of a cover', line: 'umount .git/hooks || umount -l .vscode && echo ESCAPED' },
  { name: 'fsopen', line: call('430', "b'tmpfs'", '0') },
  { name: 'io_uring', line: call('425', '1', '0') },
  { name: 'keyctl', line: call('250', '0', '-3', '0') },
  { name: 'bpf', line: call('321', '0', '0', '0') },
  { name: 'userfaultfd', line: call('323', '0') },
  { name: 'open_by_handle_at', line: call('304', '-100', '0', '0') },
  { name: 'x32 numbers', line: call('0x40000000 + 272', '0x10000000') },
  { name: 'ptrace of init', line: call('101', '16', '1', '0', '0') },
  { name: 'memory of init', line: 'head -c 1 /proc/1/mem && echo ESCAPED' },
  { name: 'process_vm_readv', line: call('310', '1', '0', '0', '0', '0', '0') },
  { name: 'core_pattern', line: 'echo "|/bin/sh" > /proc/sys/kernel/core_pattern && echo ESCAPED' },
  { name: 'sysrq', line: 'echo h > /proc/sysrq-trigger && echo ESCAPED' },
  { name: 'sysctl', line: 'echo 1 > /proc/sys/vm/drop_caches && echo ESCAPED' },
  { name: 'setuid by chmod', line: 'cp /bin/true s; chmod 4755 s; test -u s && echo ESCAPED' },
  { name: 'setuid by install', line: 'install -m 6755 /bin/true s2; test -u s2 && echo ESCAPED' },
  {
    name: 'setuid by open',
    line: python(
      `import os\nos.umask(0)\ntry: os.open('s3', os.O_CREAT | os.O_WRONLY, 0o4755)\nexcept OSError as error: print(error)\nif os.path.exists('s3') and os.stat('s3').st_mode & 0o6000: print('ESCAPED')`,
    ),
  },
  {
    name: 'fchmodat2',
    line: python(
      `import ctypes, os\nopen('s4', 'w')\nctypes.CDLL(None).syscall(452, -100, b's4', 0o4755, 0)\nif os.stat('s4').st_mode & 0o6000: print('ESCAPED')`,
    ),
  },
  { name: 'device node', line: 'mknod dev c 1 3; mknod dev2 b 8 0; test -c dev && echo ESCAPED' },
  {
    name: 'typing into the terminal',
    line: python(
      `import fcntl\nfor fd in (0, 1, 2):\n  try:\n    fcntl.ioctl(fd, 0x5412, b'x'); print('ESCAPED')\n  except OSError as error: print(error)`,
    ),
  },
  { name: 'capabilities', line: "grep -q 'CapEff:.0000000000000000' /proc/self/status || echo ESCAPED" },
];

const processes: readonly Attempt[] = [
  {
    name: 'environment of the host',
    line: 'env | grep -q hostile-key && echo ESCAPED; grep -aq hostile-key /proc/*/environ && echo ESCAPED',
    control: true,
  },
  { name: 'processes of the host', line: 'test $(ls -d /proc/[0-9]* | wc -l) -gt 20 && echo ESCAPED' },
  { name: 'a signal to the host', line: 'kill -0 $HOST_PID && echo ESCAPED', control: true },
  {
    name: 'daemon with a session of its own',
    line: '(setsid sleep $MARK >/dev/null 2>&1 &); (setsid nohup env -i sleep $MARK </dev/null >/dev/null 2>&1 &); true',
  },
  {
    name: 'double fork',
    line: python(
      `import os, time\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0:\n    for fd in (0, 1, 2): os.close(fd)\n    os.execvpe('sleep', ['sleep', os.environ['MARK']], {})\n  os._exit(0)`,
    ),
  },
  { name: 'endless output', line: 'yes | head -c 50000000' },
  { name: 'fork bomb', line: ':(){ :|:& };: 2>/dev/null; sleep 0.3' },
  {
    name: 'memory',
    line: python(
      `a = []\ntry:\n  while True: a.append(bytearray(10 ** 8))\nexcept MemoryError: print(len(a))\nif len(a) > 60: print('ESCAPED')`,
    ),
  },
];

export const ATTEMPTS: readonly Attempt[] = [files, links, git, network, kernel, processes].flat();

/** Ordinary work, which has to succeed. */
export const WORK: readonly (readonly [name: string, line: string])[] = [
  [
    'git',
    'git checkout -qb topic && echo b >> a && git -c user.name=a -c user.email=a@b commit -qam second && git checkout -q - && git merge -q topic && git log --oneline | wc -l | grep -qx 2',
  ],
  [
    'npm test',
    'mkdir -p pkg && cd pkg && echo \'{"name":"p","version":"1.0.0","scripts":{"test":"node -e 0"}}\' > package.json && npm test --silent',
  ],
  [
    'node with workers and children',
    `node -e "new (require('worker_threads').Worker)('process.exit(0)', { eval: true }).on('exit', () => require('child_process').execFileSync('true'))"`,
  ],
  [
    'python',
    `python3 -c "import json, subprocess, multiprocessing; print(subprocess.check_output(['echo', json.dumps(1)]))"`,
  ],
  ['pipelines', 'seq 1000 | sort -R | sort -n | tail -1 | grep -qx 1000'],
  ['a compiler', 'echo "int main(void){return 0;}" > m.c && gcc m.c -o m && ./m'],
  ['tar', 'mkdir -p t && echo x > t/f && tar czf t.tgz t && tar tzf t.tgz | grep -q t/f'],
  ['perl', "perl -e 'my $p = fork; exit 0 unless $p; waitpid($p, 0)'"],
  ['temporary files', 'f=$(mktemp) && echo x > $f && mkdir ~/.cache && touch ~/.cache/x'],
];
