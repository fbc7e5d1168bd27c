import type { CaseGroup } from './command-line-cases/case-group.ts';
import { evaluatedText } from './command-line-cases/evaluated-text.ts';
import { gitOptions } from './command-line-cases/git-options.ts';
import { indirectPrograms } from './command-line-cases/indirect-programs.ts';
import { shellSyntax } from './command-line-cases/shell-syntax.ts';
import { simpleCommands } from './command-line-cases/simple-commands.ts';
import { unreadableLines } from './command-line-cases/unreadable-lines.ts';

/** The whole table. Random lines are picked from it by number: another order makes other lines. */
export const caseGroups: readonly CaseGroup[] = [
  ...simpleCommands,
  ...shellSyntax,
  ...indirectPrograms,
  ...evaluatedText,
  ...unreadableLines,
  ...gitOptions,
];
