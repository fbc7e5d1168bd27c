import type { RiskyOptions } from './risky-program.ts';

/** An address that is not on this machine: git runs the hooks of a directory that it pushes to. */
const URL = String.raw`(?:(?!file:)[a-z][a-z+]*://\S+|[\w.-]+(?:@[\w.-]+)?:(?!/?/)\S+)`;
const NAME = String.raw`\w[\w.-]*`;
/** No lone `--`, after which a path may begin with a dash. */
const OPTION = String.raw`--?\w\S*`;

/**
 * The subcommands that `git *` covers, each checked against its manual page and tried. Left out, so that a rule has to spell them, are
 * those that run a program or write a file of the caller's choice (`merge-file`, `mailinfo`, `apply`, `mv` through a link into `.git`), and
 * those that were not checked.
 */
export const gitOptions: RiskyOptions = {
  obeysDirectory: true,
  options: [
    ...'--exec --upload-pack --receive-pack --extcmd --ext-diff --output --output-directory --repo'.split(' '),
    ...'--open-files-in-pager --template --textconv --separate-git-dir'.split(' '),
  ],
  globalOptions: '-c -C -p --paginate --bare --git-dir --work-tree --exec-path --config-env'.split(' '),
  globalValues: '-c -C --git-dir --work-tree --namespace --config-env --exec-path --attr-source'.split(' '),
  // A helper of a transport: `ext::sh -c ..` runs its address.
  words: /^[A-Za-z0-9][\w+.-]*::/,
  textSubcommands: ['blame', 'commit', 'diff', 'grep', 'log', 'show', 'tag'],
  otherSubcommands: true,
  subcommands: {
    ...Object.fromEntries(
      [
        ...'add annotate blame branch cat-file check-attr check-ignore check-mailmap check-ref-format'.split(' '),
        ...'checkout cherry clean commit count-objects describe diff diff-files diff-index diff-tree'.split(' '),
        ...'fetch for-each-ref fsck gc init log ls-files ls-tree merge merge-base name-rev notes reflog'.split(' '),
        ...'range-diff reset restore rev-list rev-parse rm shortlog show show-branch show-ref stage'.split(' '),
        ...'stash status switch tag var verify-commit verify-tag version whatchanged'.split(' '),
      ].map((name) => [name, []]),
    ),
    bisect: ['run', 'view', 'visualize', 'replay'],
    // A strategy `x/y` runs the file `git-merge-x/y`.
    'cherry-pick': ['--strategy'],
    // Into a new directory of a plain name, which no link leads elsewhere.
    clone: ['-c', '--config', '-u', new RegExp(`^(?:(?:${OPTION}|${NAME}) )*${URL}(?: (?:${OPTION}|${NAME}))*$`)],
    config: [
      /^(?:(?:--(?:global|local|system|show-origin|show-scope|name-only|includes|type=\w+|bool|int|path)|-z) )*(?:(?:--list|-l)(?: --[\w-]+)*|--get(?:-all|-regexp|-urlmatch)? .+|\w[\w-]*\.[\w.-]+)$/,
    ],
    grep: ['-O'],
    'ls-remote': ['-u'],
    pull: ['-s', '--strategy'],
    // The word after `-o` is a value, not the remote.
    push: ['-o', '--push-option', new RegExp(`^(?:${OPTION}(?: |$))*(?:(?:origin|upstream|${URL})(?: .*)?)?$`)],
    rebase: ['-x', '-i', '--interactive', '--edit-todo', '-s', '--strategy'],
    remote: [
      new RegExp(`^(?:(?:-v|--verbose)(?: |$))?(?:(?:show|get-url|update|prune)(?: .*)?|add (?:-f )?${NAME} ${URL})?$`),
    ],
    revert: ['--strategy'],
    submodule: ['foreach', 'add', 'set-url'],
    worktree: ['add', 'move', 'repair'],
  },
};
