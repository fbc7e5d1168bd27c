import { describe, expect, it } from 'vitest';
import { parseCommandLine } from './parse.ts';

describe('the expansions of a line', () => {
  it.each<[string, string[]]>([
    ['cat a "b c" \\~/x \'$HOME\' "a$"', []],
    ['cat ~/.ssh/id', ['~/.ssh/id']],
    ['cat ~', ['~']],
    ['cat ~root/x ~+/y', ['**/x', '**/y']],
    ['dd if=~/x', ['if=~/x']],
    ['cat $HOME/.ssh/id', ['~/.ssh/id']],
    ['cat "$HOME"/.ssh/id', ['~/.ssh/id']],
    ['cat "${HOME}/.ssh/id"', ['~/.ssh/id']],
    ['cat ${HOME}', ['~']],
    ['cat $HOME.d/x', ['**.d/x']],
    ['cat ${HOME%/}/x', ['**/x']],
    ['cat a/$HOME', ['a/**']],
    ['cat ~/.s*/id_rsa', ['~/.s*/id_rsa']],
    ['cp p .g*/config', ['.g*/config']],
    ['cp p .gi?/config .[a-g]it/x', ['.gi?/config', '.?it/x']],
    ['D=.git; cp p $D/config', ['**/config']],
    ['cat $(x)/.ssh/`y`', ['**/.ssh/**']],
    ['cat "a*[b]"$x', ['a\\*\\[b]**']],
    ['cat .{git,ssh}/{a,b}', ['.git/a', '.git/b', '.ssh/a', '.ssh/b']],
    ['cat {~,x}/.ssh', ['~/.ssh', 'x/.ssh']],
    ['cat {a,"b"}/x .{1..3}', ['**/x', '.**']],
    ['cat > "$x"/.bashrc', ['**/.bashrc']],
    ['bash -c "cat ~/.x" ', ['~/.x']],
    ['for f in ~/.a; do (cat $f/b); done', ['~/.a', '**/b']],
    ['cat ${x:-~/.ssh}', ['**', '~/.ssh']],
  ])('are named for %s as %j', (line, patterns) => {
    expect([...parseCommandLine(line).expanded].sort()).toEqual(patterns.sort());
  });

  it.each<[string, string[]]>([
    ['cat > a 2>&1 < "b c" 2>>d &>e <&3 >&f', ['a', 'b c', 'd', 'e', 'f']],
    ["bash -c '(x > .bashrc)' >| y", ['y', '.bashrc']],
    ['x > $y', []],
    ['x <<< y', []],
  ])('stand apart from the literal redirects: %s has %j', (line, files) => {
    expect(parseCommandLine(line).redirects).toEqual(files);
  });

  it('stay few and short', () => {
    const wide = parseCommandLine(`cat ${'{a,b}'.repeat(20)} {${'a,'.repeat(500)}b}`);
    const long = parseCommandLine(`cat ${'{a,b}'.repeat(6)}${'x'.repeat(100_000)}`);

    expect(wide.expanded.length).toBeLessThan(70);
    expect(long.overLimit).toBe(true);
  });
});
