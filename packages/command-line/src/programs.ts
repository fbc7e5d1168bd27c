const shellNames = ['bash', 'rbash', 'sh', 'dash', 'ash', 'ksh', 'ksh93', 'mksh', 'zsh', 'fish', 'csh', 'tcsh', 'yash'];

/**
 * Programs that run what they are given or fetch it: a line that hides what it runs is taken to mention each of them. A version
 * behind the name (`python3.12`) belongs to the name.
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

/** The name a program is known by: the last part of its path, without `.exe`. */
export function programName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1).replace(/\.exe$/i, '');
}

/** Whether the name is one of {@link interpreterPrograms}, with or without a version. */
export function isInterpreter(name: string): boolean {
  return interpreterPrograms.includes(name) || interpreterPrograms.includes(withoutVersion(name));
}

/** Whether the name is a shell's, which runs the text behind `-c`. */
export function isShell(name: string): boolean {
  return shellNames.includes(name) || shellNames.includes(withoutVersion(name));
}

/** Whether the shell's language is not the one that is parsed here. */
export function isOtherShell(name: string): boolean {
  return ['zsh', 'fish', 'csh', 'tcsh'].includes(withoutVersion(name));
}

function withoutVersion(name: string): string {
  return name.replace(/-?\d[\d.]*$/, '');
}
