const shellNames = ['bash', 'rbash', 'sh', 'dash', 'ash', 'ksh', 'ksh93', 'mksh', 'zsh', 'fish', 'csh', 'tcsh', 'yash'];

/**
 * Programs that run their arguments or fetch code: a line that hides its commands counts as mentioning each of them. A version after the
 * name (`python3.12`) belongs to the name.
 */
export const interpreterPrograms: readonly string[] = [
  ...shellNames,
  ...'busybox toybox eval source . exec env xargs sudo doas su'.split(' '),
  ...'python pypy node nodejs deno bun tsx ts-node perl ruby php lua luajit'.split(' '),
  ...'awk gawk mawk nawk tclsh wish expect osascript pwsh powershell R Rscript julia'.split(' '),
  ...'guile java jshell groovy scala ghci irb erl elixir emacs vim ed'.split(' '),
  ...'curl wget wget2 aria2c axel http https xh lynx links w3m nc ncat netcat'.split(' '),
  ...'socat telnet openssl ssh scp sftp rsync ftp lftp tftp ncftp mosh rclone'.split(' '),
  ...'npx bunx pnpx uvx pipx'.split(' '),
];

/** The name of a program: the last part of its path, without `.exe`. */
export function programName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1).replace(/\.exe$/i, '');
}

/** True when the name is one of {@link interpreterPrograms}, with or without a version. */
export function isInterpreter(name: string): boolean {
  return interpreterPrograms.includes(name) || interpreterPrograms.includes(withoutVersion(name));
}

/** True when the name is a shell's, which runs the text after `-c`. */
export function isShell(name: string): boolean {
  return shellNames.includes(name) || shellNames.includes(withoutVersion(name));
}

/** True for a shell whose language is not the one parsed here. */
export function isOtherShell(name: string): boolean {
  return ['zsh', 'fish', 'csh', 'tcsh'].includes(withoutVersion(name));
}

function withoutVersion(name: string): string {
  return name.replace(/-?\d[\d.]*$/, '');
}
