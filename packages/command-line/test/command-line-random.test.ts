import { describe, expect, it } from 'vitest';
import { isCovered, mentions, parseCommandPattern } from '../src/index.ts';
import { parseCommandLine } from '../src/parse.ts';
import { caseGroups } from './command-line-cases.ts';
import { mutated, pick, randomLine, randomText, seeded } from './random-lines.ts';

const git = parseCommandPattern('git *');
const rm = parseCommandPattern('rm *');

// What a covered line may look like, said without a parser: outside quotes a shell makes words of it, no commands but git.
const substitution =
  /\$\(cat <<('?)(\w+)\1\n(?:[\s\S]*?\n)?\2\n\s*\)|\$\(git (?:[^()<>|;&`$'"\\\n{]|<\w)*\)|\$\(\([\w\s+*-]*\)\)|`git [^()<>|;&`$'"\\\n{]*`/g;
const quotedOrComment =
  /(?<=^|[\s;|&()])#[^\n]*|'[^']*'|"(?:[^"\\$`]|\\[\s\S]|\$(?:\w+|[?#!$@*-]|(?![\w({[`])|\{\w+(?:[:%#/+-][^}$`"]*)?\}))*"|\\[\s\S]/g;
const harmlessRedirect =
  /\d*(?:>[>|]?|<>?|&>>?|>&)[ \t]*\/dev\/null(?=[\s;|&<>()]|$)|\d*[<>]&[ \t]*(?:\d+-?|-)(?=[\s;|&<>()]|$)|\d*<[ \t]*[^ \t\n;|&<>()$`*?]+|\d*<<<[ \t]*(?:[^ \t\n;|&<>()$`]|\$\w+|\$\{\w+\}|\$[$!?#-]|\$(?![\w({[]))+/g;
const grouping =
  /^(?:\s|[!{}()]|(?:if|then|elif|else|fi|do|done|while|until|time|-p)(?=[\s()]|$)|for\s+[a-z]\w*\s+in\s[^;\n]*$|for\s+[a-z]\w*\s*$)+/;

function looksPlain(line: string): boolean {
  const bare = line.replace(substitution, 'D').replace(quotedOrComment, (found) => {
    if (found === '\\\n' || found.startsWith('#')) return '';
    return /^\\[\w/]/.test(found) ? found.slice(1) : 'Q';
  });
  const rest = bare.replace(harmlessRedirect, ' ');
  const commands = rest.split(/&&|\|\||\|&|[;|\n]/).map((command) => command.replace(grouping, '').trim());
  return commands.every(
    (command) =>
      !/[`<>&\0]|(?<!\$)\$[({[]|\((?!\s*\))/.test(command) &&
      /^(?:$|(?:[gitQ]+|\[|test|true|false|:|break|continue|exit)(?:[ \t)}]|$))/.test(command),
  );
}

describe('parseCommandLine, isCovered and mentions', () => {
  it('never throw for 40,000 random texts and changed lines, and cover plain git commands only', () => {
    const random = seeded(2026);
    const table = caseGroups.flatMap(({ lines }) => lines).filter((line) => line.length < 200);
    const makers = [
      () => randomText(random),
      () => randomLine(random, 24),
      () => mutated(random, pick(random, table)),
      () => mutated(random, mutated(random, mutated(random, pick(random, table)))),
    ];
    let covered = 0;
    const wrong: string[] = [];
    for (let count = 0; count < 40_000; count += 1) {
      const line = makers[count % makers.length]!();
      const parsed = parseCommandLine(line);
      const isGit = isCovered(parsed, [git]);
      if (isGit) covered += 1;
      if (isGit && (!looksPlain(line) || mentions(parsed, git) !== 'yes' || mentions(parsed, rm) !== 'no'))
        wrong.push(line);
      if (parsed.unknown.length > 0 && (parsed.simple || mentions(parsed, rm) === 'no')) wrong.push(line);
    }

    expect(wrong).toEqual([]);
    expect(covered).toBeGreaterThan(400);
  }, 60_000);
});
