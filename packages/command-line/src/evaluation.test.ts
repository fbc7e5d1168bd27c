import { describe, expect, it } from 'vitest';
import { parseCommandLine } from './parse.ts';

const OUTPUT = 'the output of a command is evaluated as a number';
const MIXED = 'a text is evaluated as a number or as a list';
const DESCRIPTOR = 'a descriptor is kept under a name that is evaluated';

describe('parseCommandLine, for what a shell evaluates once more', () => {
  it.each<[string, string[]]>([
    ['echo ${x:$(nproc)}', []],
    ['echo ${x:$(date +%s)}', []],
    ['echo ${x:$(make)}', [OUTPUT]],
    ['echo ${x:$(nproc --all)}', [OUTPUT]],
    ['echo ${x:$(nproc; make)}', [OUTPUT]],
    ['echo ${x:$(nproc | make)}', [OUTPUT]],
    ['echo ${x:$(A=1 $nproc)}', [OUTPUT, 'the name of a command is an expansion']],
    ['echo ${x:$()}', [OUTPUT]],
    ['[[ -v x ]]', []],
    ["[[ -v 'x[1]' ]]", ['[[ -v evaluates its argument']],
    ['[[ -v $x ]]', ['[[ -v evaluates its argument']],
    ['[[ -R x && -n $y ]]', []],
    ['make {fd}> f', []],
    ['make {fd[1]}> f', [DESCRIPTOR]],
    ['[ $x ]', []],
    ["x='-v a'; [ $x ]", [MIXED]],
    ["x='-v a'; [ ${x} ]", [MIXED]],
    ["x='-v a'; [ ${#x} ]", []],
    ["x='-v a'; [ {a..} ]", []],
    ["x='-v a'; [ {a}..} ]", []],
    ['x=\'-v a\'; [ "$x" ]', []],
    ['compgen', []],
    ['complete -p', ['complete evaluates its arguments']],
    ['bind', []],
    ['fc -nl 1', []],
    ['fc $x', ['fc runs lines of the history']],
    ['fc -l $x', []],
    ['set $x', []],
    ['set -H', ['later lines are changed by the history']],
  ])('%s is unknown for %j', (line, unknown) => {
    expect(parseCommandLine(line).unknown).toEqual(unknown);
  });
});
