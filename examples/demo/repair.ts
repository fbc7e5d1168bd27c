import { stripVTControlCharacters } from 'node:util';
import { type AgentEvent, type AgentHandler, type CanUseTool, createSession } from '@x/agent-sdk';
import { createProject, GIT_ENV, type Project } from './project.ts';
import { askForKey } from './question.ts';
import { check, clip, isTerminal, line, paint, pause, title, width, write } from './screen.ts';
import { optionsOf, type Stage } from './stage.ts';

/** An agent repairs a failing test under rules, and asks before it pushes. Resolves to its session and the project. */
export async function repair({ folder, url, store }: Stage): Promise<{ sessionId: string; project: Project }> {
  title(1, 'An agent repairs a test. Rules say what it may do');
  const project = createProject(folder);
  const rules = {
    autoApprove: ['Read', 'Edit(cart.js)', 'Bash(node --test *)', 'Bash(git commit *)'],
    alwaysAsk: ['Bash(git push *)'],
  };
  line(paint.dim(`autoApprove  ${rules.autoApprove.join('  ')}`));
  line(`${paint.dim(`alwaysAsk    ${rules.alwaysAsk.join('  ')}`)}\n`);
  let saidYes: boolean | undefined;
  const canUseTool: CanUseTool = async (toolName, _input, { matchedRule, signal }) => {
    line(`  ${paint.yellow('?')} ${toolName} matches your rule ${paint.yellow(matchedRule ?? '(none)')}`);
    saidYes = await askForKey(`  ${paint.yellow('?')} Allow?`, signal);
    return saidYes ? { behavior: 'allow' } : { behavior: 'deny', message: 'The user said no.' };
  };
  const session = await createSession({
    ...optionsOf(url, store),
    cwd: project.cwd,
    env: GIT_ENV,
    ...rules,
    canUseTool,
    handlers: [printing(project)],
  });
  await session.send('A test of this project fails. Repair the code, commit, push.');
  for await (const event of session.stream()) if (event.type === 'error') line(paint.red(event.message));
  await session.close();
  line();
  check('the tests pass', await project.testsPass());
  const arrived = project.pushed() === 'A line without a quantity counts once';
  check(saidYes ? 'the commit is at the origin' : 'nothing was pushed', saidYes === arrived);
  await pause(600);
  return { sessionId: session.sessionId, project };
}

/** Shows a run as it happens. */
function printing(project: Project): AgentHandler {
  const started = new Map<string, number>();
  const show = (event: AgentEvent) => {
    if (event.type === 'user_message') line(`${paint.bold('>')} ${event.content}\n`);
    else if (event.type === 'content') write(event.delta);
    else if (event.type === 'tool_use') line(`\n${paint.bold(`● ${event.name}`)} ${paint.dim(subjectOf(event.input))}`);
    else if (event.type === 'permission' && event.decision !== 'ask' && event.matchedRule)
      line(paint.dim(`  ${event.decision}: ${event.reason}`));
    else if (event.type === 'tool_started') started.set(event.id, performance.now());
    else if (event.type === 'tool_result') {
      const ms = performance.now() - (started.get(event.id) ?? performance.now());
      const shown = event.name === 'Edit' ? diffLines(project) : outputLines(event.name, event.output);
      const room = width - 4 - stripVTControlCharacters(shown.at(-1) ?? '').length;
      line(`  └ ${shown.join('\n    ')}${paint.dim(`${ms.toFixed(0)} ms`.padStart(room))}\n`);
    } else if (event.type === 'result') line();
  };
  return { name: 'printing', onEvent: show };
}

function subjectOf(input: unknown): string {
  const [first = ''] = Object.values(input as Record<string, unknown>); // safe: the inputs of the built-in tools are objects
  return clip(String(first), width - 10);
}

/** The change itself, without git's heading. */
function diffLines(project: Project): string[] {
  return project
    .diff(isTerminal && process.env['NO_COLOR'] === undefined)
    .trimEnd()
    .split('\n')
    .slice(4);
}

/** What a person wants to see of an answer: the verdicts of tests, the number of lines read, else the first lines. */
function outputLines(toolName: string, output: string): string[] {
  const lines = output.trimEnd().split('\n');
  if (toolName === 'Read') return [paint.dim(`${lines.length} lines`)];
  const summary = lines.findIndex((text) => text.startsWith('ℹ'));
  const verdicts = lines.slice(0, Math.max(0, summary)).filter((text) => /^[✔✖]/.test(text));
  const shown = verdicts.length > 0 ? verdicts : lines.slice(0, 2);
  return shown.map((text) => {
    const plain = clip(text.replace(/ \([\d.]+ms\)$/, ''), width - 4);
    if (plain.startsWith('✖')) return paint.red(plain);
    return plain.startsWith('✔') ? paint.green(plain) : paint.dim(plain);
  });
}
