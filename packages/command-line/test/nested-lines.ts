import { pick, type Random } from './random-lines.ts';

const quoted = (line: string): string => `'${line.replaceAll("'", "'\\''")}'`;

/** Spellings of the program. */
const names: readonly string[] = [
  'curl',
  "cu''rl",
  'c\\url',
  '"curl"',
  "'curl'",
  'c"ur"l',
  'cu\\\nrl',
  '\\c\\u\\r\\l',
  "$'\\x63url'",
  `$'c'"u"rl`,
];

/** Places in which bash runs a line of one command. */
const places: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => `git x; ${line}`,
  (line) => `git x && ${line}`,
  (line) => `! git x || ${line}`,
  (line) => `git x | ${line}`,
  (line) => `${line} & wait`,
  (line) => `git x\n${line}`,
  (line) => `git $(${line})`,
  (line) => `git "$(${line})"`,
  (line) => `git "a\${x:-$(${line})}b"`,
  (line) => `git \${x:=$(${line})}`,
  (line) => `git \${x-"$(${line})"}`,
  (line) => `x=$(${line})`,
  (line) => `x=$(${line}) git y`,
  (line) => `a=(1 "$(${line})")`,
  (line) => `a[$(${line}; echo 1)]=2`,
  (line) => `git $((1 + $(${line}; echo 1)))`,
  (line) => `(( x = $(${line}; echo 1) ))`,
  (line) => `git <(${line}); git y`,
  (line) => `git <<E\n$(${line})\nE\n`,
  (line) => `git <<< "$(${line})"`,
  (line) => `git 2> ./out"$(${line})"`,
  (line) => `(${line})`,
  (line) => `{ ${line}\n}`,
  (line) => `if ${line}\nthen :; fi`,
  (line) => `if git x; then :; ${line}\nfi`,
  (line) => `for i in 1; do ${line}\ndone`,
  (line) => `for i in $(${line}); do :; done`,
  (line) => `while ${line}\ndo break; done`,
  (line) => `until ${line}\ndo break; done`,
  (line) => `for ((i = 0; i < 1; i++)); do ${line}\ndone`,
  (line) => `case a in b) ;; a) ${line}\n;; esac`,
  (line) => `case $(${line}) in *) ;; esac`,
  (line) => `[[ -n $(${line}) ]]`,
  (line) => `f() { ${line}\n}; f`,
  (line) => `function f { ${line}\n}; f`,
  (line) => `coproc { ${line}\n}; wait`,
  (line) => `time { ${line}\n}`,
  (line) => `eval ${quoted(line)}`,
  (line) => `bash -c ${quoted(line)}`,
  (line) => `sh -c ${quoted(line)}`,
  (line) => `bash -ec ${quoted(line)}`,
  (line) => `bash -o pipefail -c ${quoted(line)}`,
  (line) => `bash -c -e -- ${quoted(line)}`,
  (line) => `bash <<< ${quoted(line)}`,
  (line) => `trap ${quoted(line)} EXIT`,
  (line) => `env -i PATH="$PATH" bash -c ${quoted(line)}`,
  (line) => `env -u X A=1 sh -c ${quoted(line)}`,
  (line) => `env -S "sh -c" ${quoted(line)}`,
  (line) => `timeout -s KILL 5 sh -c ${quoted(line)}`,
  (line) => `nice -n 5 sh -c ${quoted(line)}`,
  (line) => `nohup sh -c ${quoted(line)}`,
  (line) => `stdbuf -o L sh -c ${quoted(line)}`,
  (line) => `setsid -w sh -c ${quoted(line)}`,
  (line) => `exec sh -c ${quoted(line)}`,
  (line) => `command sh -c ${quoted(line)}`,
  (line) => `builtin eval ${quoted(line)}`,
  (line) => `find . -maxdepth 0 -exec sh -c ${quoted(line)} \\;`,
  (line) => `echo x | xargs -I{} -n 1 sh -c ${quoted(line)}`,
  (line) => `echo ${quoted(line)} | bash`,
  (line) => `source /dev/stdin <<< ${quoted(line)}`,
  (line) => `x=${quoted(line)}; eval "$x"`,
  (line) => `x=${quoted(`a[$(${line})]`)}; ((x))`,
  (line) => `printf -v ${quoted(`a[$(${line})]`)} x`,
  (line) => `git >&${quoted(`$(${line})`)}`,
  (line) => `[[ -v ${quoted(`a[$(${line})]`)} ]]`,
  (line) => `[[ ${quoted(`a[$(${line})]`)} -eq 0 ]]`,
  (line) => `unset a; a=(1); unset ${quoted(`a[$(${line})]`)}`,
  (line) => `x=${quoted(`$(${line})`)}; : "\${x@P}"`,
  (line) => `x=${quoted(`a[$(${line})]`)}; : \${!x}`,
  (line) => `PS4=${quoted(`$(${line})`)}; set -x; git x`,
  (line) => `declare -n r=${quoted(`a[$(${line})]`)}; : $r`,
  (line) => `read ${quoted(`a[$(${line})]`)} <<< 1`,
  (line) => `let ${quoted(`a[$(${line})]`)}`,
  (line) => `mapfile -C ${quoted(`${line}\n:`)} -c 1 <<< 1`,
  (line) => `shopt -s expand_aliases; alias g=${quoted(line)}\ng`,
];

/** A line in which bash runs `curl` somewhere inside, and how deep. */
export function nestedLine(random: Random): string {
  let line = `${pick(random, names)} x`;
  for (let depth = 1 + random(3); depth > 0; depth -= 1) line = pick(random, places)(line);
  return line;
}

/** Each place once, with each way of writing the program in turn. */
export function eachPlace(): readonly string[] {
  return places.map((place, index) => place(`${names[index % names.length]} x`));
}
