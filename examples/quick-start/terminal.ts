import type { StreamMessage } from '@x/agent-sdk';

const dim = (text: string) => (process.stdout.isTTY ? `\u001b[2m${text}\u001b[22m` : text);
const bold = (text: string) => (process.stdout.isTTY ? `\u001b[1m${text}\u001b[22m` : text);
const red = (text: string) => (process.stdout.isTTY ? `\u001b[31m${text}\u001b[39m` : text);

/** Shows a run as it happens: what the agent says, which tool it calls with what, how long that took, and the tokens. */
export async function show(stream: AsyncIterable<StreamMessage>): Promise<void> {
  const started = new Map<string, number>();
  let inText = false;
  for await (const event of stream) {
    if (event.type === 'content') {
      process.stdout.write(event.delta);
      inText = true;
      continue;
    }
    if (inText) process.stdout.write('\n');
    inText = false;
    if (event.type === 'user_message') console.log(`${bold('>')} ${event.content}\n`);
    else if (event.type === 'tool_use') {
      started.set(event.id, performance.now());
      console.log(`${bold(`● ${event.name}`)} ${dim(oneLine(JSON.stringify(event.input)))}`);
    } else if (event.type === 'tool_result') {
      const ms = performance.now() - (started.get(event.id) ?? 0);
      const text = oneLine(event.output);
      console.log(`  ⎿ ${event.isError ? red(text) : text} ${dim(`(${ms.toFixed(0)} ms)`)}`);
    } else if (event.type === 'error') console.error(red(`error: ${event.message}`));
    else if (event.type === 'result') {
      const { inputTokens, outputTokens } = event.usage;
      console.log(dim(`\n${event.subtype}: ${inputTokens} tokens in, ${outputTokens} out`));
      if (event.subtype !== 'success') process.exitCode = 1;
    }
  }
}

function oneLine(text: string): string {
  const line = text.trim().replaceAll(/\s*\n\s*/g, ' ⏎ ');
  return line.length > 140 ? `${line.slice(0, 139)}…` : line;
}
