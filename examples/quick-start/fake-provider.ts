import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';

interface Step {
  readonly say: string;
  readonly call?: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
}

/** What the scripted model says and does, one step a turn. */
const REPAIR: readonly Step[] = [
  {
    say: 'I will run the tests first. ',
    call: { name: 'Bash', arguments: { command: 'node --test', description: 'Run the tests' } },
  },
  {
    say: 'One test fails: a line without a quantity. ',
    call: { name: 'Grep', arguments: { pattern: 'quantity', output_mode: 'content' } },
  },
  { say: 'The sum is made in cart.js. ', call: { name: 'Read', arguments: { file_path: 'cart.js' } } },
  {
    say: 'A missing quantity gives NaN; it should count once. ',
    call: {
      name: 'Edit',
      arguments: {
        file_path: 'cart.js',
        old_string: 'line.price * line.quantity',
        new_string: 'line.price * (line.quantity ?? 1)',
      },
    },
  },
  {
    say: 'Now the tests again. ',
    call: { name: 'Bash', arguments: { command: 'node --test', description: 'Run the tests' } },
  },
  { say: 'All tests pass. In cart.js a line without a quantity made the sum NaN; now it counts once.' },
];

/** A stand-in for the service on this machine: the OpenAI wire format over real HTTP, its answers from the script. */
export async function startFakeProvider(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = new LLMock({ port: 0, logLevel: 'silent' });
  server.on({ predicate: () => true }, (request) => answer(request));
  await server.start();
  return { url: `${server.url}/v1`, stop: () => server.stop() };
}

function answer({ messages }: ChatCompletionRequest) {
  const question = messages.findLastIndex(({ role }) => role === 'user');
  if (JSON.stringify(messages[question]?.content).includes('Which file')) return { content: remembered(messages) };
  const turn = messages.slice(question).filter(({ role }) => role === 'tool').length;
  const { say, call } = REPAIR[turn] ?? REPAIR.at(-1)!; // the script is not empty
  if (!call) return { content: say };
  const id = `call_repair_${turn}`;
  return { content: say, toolCalls: [{ id, name: call.name, arguments: JSON.stringify(call.arguments) }] };
}

/** Answers from the conversation that the resumed session sent along, not from the script. */
function remembered(messages: ChatCompletionRequest['messages']): string {
  const edit = messages.flatMap(({ tool_calls }) => tool_calls ?? []).find((call) => call.function.name === 'Edit');
  if (!edit) return 'I do not remember: the conversation holds no edit.';
  const { file_path, old_string, new_string } = JSON.parse(edit.function.arguments) as Record<string, string>;
  return `I changed ${file_path}: \`${old_string}\` is now \`${new_string}\`, because a line without a quantity made the sum NaN.`;
}
