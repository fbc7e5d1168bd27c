import { commandLineParser, coverage, mentions, parseCommandPattern } from '@x/command-line';

const parse = await commandLineParser();
const allowed = ['git log *', 'git status', 'ls *', 'grep *'].map(parseCommandPattern);
const forbidden = parseCommandPattern('rm *');

const lines = [
  'git log --oneline | grep fix',
  'ls src && git status',
  'git log > out.txt',
  'find . -name "*.tmp" -exec rm {} +',
  'ls | xargs rm',
  'eval "$CLEAN"',
];

for (const text of lines) {
  console.log(`${text}\n  ${verdictOn(text)}`);
}

function verdictOn(text: string): string {
  const line = parse(text);
  if (mentions(line, forbidden) !== 'no') return 'refuse';
  const verdict = coverage(line, allowed);
  return verdict.covered ? 'run' : `ask: ${verdict.why ?? 'no pattern covers it'}`;
}
