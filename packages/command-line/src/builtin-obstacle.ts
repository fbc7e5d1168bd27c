import type { LooseWord } from './command-line.ts';

type Words = readonly (string | LooseWord)[];

/** Builtins that evaluate their words, or set variables for later commands. */
const evaluating = new Set([
  ...'declare typeset local export readonly unset let read mapfile readarray getopts wait hash enable history fc set'.split(
    ' ',
  ),
  ...'shopt compgen complete bind alias unalias eval source . trap exec builtin command ulimit'.split(' '),
]);
const unary = /^-[a-hknprstuwxzGLNOS]$/;
const binary = /^(=|==|!=|<|>|-(eq|ne|lt|le|gt|ge|nt|ot|ef))$/;

/**
 * The reason why a builtin may do more with its words than use them: it evaluates an expansion, or sets a variable that other programs
 * obey.
 */
export function builtinObstacle(words: Words): string | undefined {
  const [name, ...rest] = words;
  if (name === 'command' || name === 'builtin') return builtinObstacle(rest);
  if (typeof name !== 'string') return undefined;
  const isLoose = rest.some((word) => typeof word !== 'string');
  if ((name === '[' || name === 'test') && isLoose)
    return isPlainTest(name === '[' ? rest.slice(0, -1) : rest)
      ? undefined
      : `\`${name}\` may take an expansion for an operator`;
  if (evaluating.has(name) && isLoose) return `\`${name}\` may evaluate an expansion`;
  const set = variablesOf(name, rest).find(
    (word) => typeof word !== 'string' || /^[A-Z_]/.test(word) || word.includes('='),
  );
  return set === undefined ? undefined : `\`${name}\` sets a variable that other commands may obey`;
}

/** True when every operator of a test is literal, and every expansion one operand. */
function isPlainTest(given: Words): boolean {
  const words = given[0] === '!' ? given.slice(1) : given;
  if (words.some((word) => typeof word !== 'string' && word.becomes !== 'one')) return false;
  const [operator, between] = words;
  if (words.length === 1) return true;
  if (words.length === 2) return typeof operator === 'string' && unary.test(operator);
  return words.length === 3 && typeof between === 'string' && binary.test(between);
}

/** The words that may name a variable which the builtin sets. */
function variablesOf(name: string, rest: Words): Words {
  switch (name) {
    case 'declare':
    case 'typeset':
    case 'local':
    case 'export':
    case 'readonly':
    case 'let':
      return rest.filter((word) => typeof word !== 'string' || word.includes('='));
    case 'read':
    case 'mapfile':
    case 'readarray':
    case 'getopts':
    case 'unset':
    case 'wait':
      return rest.map((word) => (typeof word === 'string' ? word.replace(/^-\w*?(?=[A-Z_]\w)/, '') : word));
    case 'printf': {
      const [option, next = ''] = rest;
      if (typeof option === 'string' && !option.startsWith('-v')) return [];
      return [option === '-v' ? next : typeof option === 'string' ? option.slice(2) : (option ?? '')];
    }
    default:
      return [];
  }
}
