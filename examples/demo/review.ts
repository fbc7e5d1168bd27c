import { type AgentDefinition, createSession, type SessionEvent, toolUsesOf } from '@x/agent-sdk';
import { Columns } from './columns.ts';
import { check, line, paint, pause, title } from './screen.ts';
import { optionsOf, type Stage } from './stage.ts';

const agents: AgentDefinition[] = [
  { name: 'reviewer', description: 'Reviews code.', systemPrompt: 'You are a reviewer.', tools: ['Read', 'Grep'] },
  { name: 'tester', description: 'Judges tests.', systemPrompt: 'You are a tester.', tools: ['Read', 'Grep'] },
];

/** Two subagents work at the same time; what each does is read from the events of the session. */
export async function review({ url, store }: Stage, cwd: string): Promise<{ sessionId: string }> {
  title(3, 'Two subagents side by side');
  const session = await createSession({ ...optionsOf(url, store), cwd, agents });
  await session.send('Review the repair, and its tests.');
  const followed = follow(session.events());
  for await (const event of session.stream()) if (event.type === 'error') line(paint.red(event.message));
  const { spans, answer } = await followed;
  await session.close();
  line(`\n${answer}\n`);
  const [one, other] = [...spans.values()];
  const together = one !== undefined && other !== undefined && one.from < other.to && other.from < one.to;
  check('two subagents were at work at the same time', together && spans.size === 2);
  await pause(1_000);
  return { sessionId: session.sessionId };
}

interface Span {
  readonly from: number;
  to: number;
}

/** Shows the subagents to the end of the run; `spans` are their times, by name. */
async function follow(events: AsyncIterable<SessionEvent>): Promise<{ spans: Map<string, Span>; answer: string }> {
  const columns = new Columns(agents.map(({ name }) => name));
  const names = new Map<string, string>(); // of the subagents, by the call that has started them
  const spans = new Map<string, Span>();
  for await (const { agentPath, at, event } of events) {
    if (event.type === 'result') return { spans, answer: event.content ?? event.error ?? '' };
    const [caller] = agentPath;
    if (caller === undefined) {
      if (event.type === 'message' && event.message.role === 'assistant')
        for (const { id, input } of toolUsesOf(event.message)) names.set(id, agentOf(input));
      continue;
    }
    const name = names.get(caller) ?? '';
    const span = spans.get(name) ?? { from: at, to: at };
    spans.set(name, span);
    span.to = at;
    columns.add(name, textOfEvent(event));
  }
  throw new Error('The session was closed before its run had ended');
}

function textOfEvent(event: SessionEvent['event']): string {
  if (event.type === 'content') return event.delta;
  if (event.type === 'tool_result') return `  └ ${linesIn(event.output)}, ${event.durationMs} ms\n`;
  if (event.type === 'message' && event.message.role === 'assistant')
    return `\n${toolUsesOf(event.message)
      .map(({ name, input }) => `● ${name} ${fileOf(input)}\n`)
      .join('')}`;
  return '';
}

function linesIn(text: string): string {
  const count = text.trimEnd().split('\n').length;
  return count === 1 ? '1 line' : `${count} lines`;
}

// Safe below: the inputs of the built-in tools are objects.
function agentOf(input: unknown): string {
  return String((input as Record<string, unknown>)['subagent_type']);
}

function fileOf(input: unknown): string {
  const { file_path, path } = input as Partial<Record<string, string>>;
  return file_path ?? path ?? '';
}
