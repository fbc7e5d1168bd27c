import { describe, expect, it } from 'vitest';
import { parseCommandPattern } from './command-pattern.ts';
import { mentions } from './mentions.ts';
import { parseCommandLine } from './parse.ts';

const mentioned = (pattern: string, line: string): string =>
  mentions(parseCommandLine(line), parseCommandPattern(pattern));

/** Ways to write one thing, lines that it forbids, and lines that it has nothing to say about. */
const meanings: readonly { patterns: string; forbids: readonly string[]; leaves: readonly string[] }[] = [
  {
    patterns: 'rm|rm *|rm*|rm:*|rm **|* rm *|*rm*|*/rm *|**/rm|rm.*|*rm|*rm *|rm\t*',
    forbids: [
      'rm',
      'rm x',
      'rm -rf /',
      '/bin/rm x',
      'env rm x',
      'a && sudo -n rm x',
      "bash -c 'cd x; rm y'",
      'xargs rm',
    ],
    leaves: ['ls', 'git status', 'echo r m'],
  },
  {
    patterns:
      'rm -rf|rm -rf *|rm -rf*|rm -rf:*|rm -rf **|rm -r -f *|rm -fr|rm --recursive --force *|* rm -rf *|*rm -rf*',
    forbids: ['rm -rf x', 'rm -rf', 'env rm -rf x', "sh -c 'rm -rf /'", 'find . -exec rm -rf {} +'],
    leaves: ['rm x', 'rm -r x', 'rm -f x', 'ls -rf', 'rm -i -- x'],
  },
  {
    patterns: 'rm -rf|rm -rf *|rm -rf*|rm -rf:*|rm -r -f *|rm -fr|rm --recursive --force *',
    forbids: [
      'rm -fr x',
      'rm x -r -f',
      'rm -Rf x',
      'rm --recursive --force x',
      'rm --rec -vf x',
      'rm -R --force x',
      'rm --rec --fo x',
    ],
    leaves: ['rm -rv x', 'rm --recursive x', 'rm --force x'],
  },
  {
    patterns: 'curl|curl *|curl*|*curl*|* curl *|curl:*|curl **|**curl**|*/curl|curl.*|*curl',
    forbids: ['curl http://x', 'curl', '/usr/bin/curl x', 'a | curl -d @- y', 'echo $(curl x)', 'timeout 5 curl x'],
    leaves: ['wget x', 'ls'],
  },
  {
    patterns: 'sudo|sudo *|sudo*|sudo:*|* sudo *|*sudo*|sudo **|*/sudo *',
    forbids: ['sudo rm x', 'sudo', 'x; sudo -u a b', 'nice sudo x', '(cd x && sudo y)'],
    leaves: ['ls', 'rm x'],
  },
  {
    patterns:
      'git push|git push *|git push*|git push:*|git push **|git *push*|git * push *|* push *|*git push*|git *push',
    forbids: ['git push', 'git push --force', 'git push origin main', 'x && git push', "eval 'git push x'"],
    leaves: ['git pull', 'git status', 'git log'],
  },
  {
    patterns:
      'git push --force|git push --force *|git push --force*|git push --force:*|git push -f|git push -f *|git * -f *',
    forbids: [
      'git push --force',
      'git push -f',
      'git push origin main -f',
      'git push --force x',
      'git -C d push -uf x',
    ],
    leaves: ['git push', 'git push origin', 'git status'],
  },
  {
    patterns: 'npm run test|npm run test*|npm run test *|npm run test:*|npm * test*|*run test*',
    forbids: ['npm run test', 'npm run test -- -u', 'cd x && npm run test --watch'],
    leaves: ['npm run build', 'npm install'],
  },
  {
    patterns: 'npm publish|npm publish *|npm publish*|npm *publish*|* publish *',
    forbids: ['npm publish', 'npm publish --tag x', 'npm publish . --access public'],
    leaves: ['npm run build', 'npm pack'],
  },
  { patterns: '*|**|* *|***', forbids: ['ls', 'touch x', 'a | b', '$x', 'x=$(y)'], leaves: [] },
  {
    patterns: '* --force|* --force *|*--force*',
    forbids: ['x --force', 'git push --force o', 'a; b --force c'],
    leaves: ['x'],
  },
  {
    patterns: 'docker run --privileged|docker run --privileged *|docker * --privileged*',
    forbids: ['docker run --privileged x', 'docker run -it --privileged=true x'],
    leaves: ['docker run x', 'docker ps'],
  },
  { patterns: 'rm *.ts', forbids: ['rm a.ts', 'rm a b.ts', 'rm -f b.ts c'], leaves: ['rm a.js'] },
];

const table = meanings.flatMap(({ patterns, forbids, leaves }) =>
  patterns.split('|').map((pattern) => ({ pattern, forbids, leaves })),
);

describe('mentions', () => {
  it.each(table)('takes $pattern for what it plainly forbids', ({ pattern, forbids, leaves }) => {
    expect(forbids.filter((line) => mentioned(pattern, line) !== 'yes')).toEqual([]);
    expect(leaves.filter((line) => mentioned(pattern, line) !== 'no')).toEqual([]);
  });

  it('takes a wide pattern for more than one program, a plain one only for its own', () => {
    expect(mentioned('rm*', 'rmdir x')).toBe('yes');
    expect(mentioned('*rm*', 'npm run farm')).toBe('yes');
    expect(mentioned('rm', 'rmdir x')).toBe('no');
    expect(mentioned('rm', 'ls rm')).toBe('no');
    expect(mentioned("'rm*'", 'rm x')).toBe('no');
  });

  it('knows what xargs runs when it is given no command', () => {
    expect(mentioned('echo *', 'ls | xargs')).toBe('yes');
    expect(mentioned('echo *', 'ls | xargs -n 1')).toBe('yes');
    expect(mentioned('echo *', 'ls | xargs rm')).toBe('no');
  });
});
