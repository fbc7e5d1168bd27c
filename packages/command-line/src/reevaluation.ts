import type { CommandWord } from './command-line.ts';

/**
 * The reason why a builtin may run text in its arguments: these take the name of a variable and evaluate the subscript in it again, so that
 * quotes hide `$(..)` from every parser. A plain name is harmless.
 */
export function reevaluates(name: string, words: readonly CommandWord[]): string | undefined {
  const rest = words.slice(1);
  switch (name) {
    case 'printf':
      return printfNames(rest) ? 'printf -v evaluates its argument' : undefined;
    case 'test':
    case '[':
      return rest.some((word, at) => (word === '-v' || word === '-R') && !isPlainName(rest[at + 1]))
        ? `${name} -v evaluates its argument`
        : undefined;
    case 'declare':
    case 'typeset':
    case 'local':
      return rest.some((word) => mayHoldSubscript(word) || mayBeElements(word) || /^-\w*[ni]/.test(word ?? ''))
        ? `${name} evaluates its arguments`
        : undefined;
    case 'mapfile':
    case 'readarray':
      return rest.some((word) => mayHoldSubscript(word) || /^-\w*C/.test(word ?? ''))
        ? `${name} evaluates its arguments`
        : undefined;
    case 'read':
    case 'unset':
    case 'getopts':
      return rest.some(mayHoldSubscript) ? `${name} evaluates its arguments` : undefined;
    case 'export':
    case 'readonly':
      return rest.some((word) => mayHoldSubscript(word) || mayBeElements(word))
        ? `${name} evaluates its arguments`
        : undefined;
    case 'wait':
      return rest.some((word) => word?.startsWith('-p')) && rest.some(mayHoldSubscript)
        ? 'wait -p evaluates its argument'
        : undefined;
    case 'compgen':
    case 'complete':
    case 'bind':
      return rest.length > 0 ? `${name} evaluates its arguments` : undefined;
    case 'hash':
      return rest.some((word) => word === undefined || word.startsWith('-p'))
        ? 'hash -p gives a command another program'
        : undefined;
    case 'enable':
      return rest.some((word) => word === undefined || /^-\w*f/.test(word)) ? 'enable -f loads a builtin' : undefined;
    case 'fc':
      return rest.some((word) => /^-\w*l/.test(word ?? '')) ? undefined : 'fc runs lines of the history';
    case 'history':
      return rest.some((word) => word === undefined || /^-\w*[sr]/.test(word))
        ? 'history takes in lines that may be run'
        : undefined;
    case 'set':
      return rest.some((word) => /^-\w*H|^hist/.test(word ?? '')) ? HISTORY : undefined;
    case 'shopt':
      return rest.some((word) => word?.startsWith('hist')) ? HISTORY : undefined;
    default:
      return undefined;
  }
}

const HISTORY = 'later lines are changed by the history';

function printfNames(rest: readonly CommandWord[]): boolean {
  const [option, name] = rest;
  if (option === undefined) return rest.length > 0;
  if (!option.startsWith('-v')) return false;
  return !isPlainName(option === '-v' ? name : option.slice(2));
}

function mayHoldSubscript(word: CommandWord): boolean {
  // The value of an assignment is not evaluated again, its name is.
  return word === undefined || word.split('=', 1)[0]!.includes('[');
}

/** The text after the sign is expanded as the elements of an array, if the name is that of one. */
function mayBeElements(word: CommandWord): boolean {
  return word !== undefined && /^[^=]*=\([\s\S]*[$`]/.test(word);
}

function isPlainName(word: CommandWord): boolean {
  return word !== undefined && /^\w+$/.test(word);
}
