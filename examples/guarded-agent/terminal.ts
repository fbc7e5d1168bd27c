import { createInterface } from 'node:readline/promises';
import type { AgentHandler, CanUseTool } from '@x/agent-sdk';

const dim = (text: string) => (process.stdout.isTTY ? `\u001b[2m${text}\u001b[22m` : text);

/** Lets readonly tools run and asks the person at the terminal about the rest; where there is none, `scripted` answers. */
export function askAtTerminal(scripted: (toolName: string) => boolean): CanUseTool {
  return async (toolName, input, { signal, toolKind }) => {
    if (toolKind === 'readonly') return { behavior: 'allow' };
    console.log(`  ? May ${toolName} run? ${JSON.stringify(input)}`);
    const yes = process.stdin.isTTY ? await answered(signal) : scripted(toolName);
    console.log(`  ? ${yes ? 'yes' : 'no'}`);
    return yes ? { behavior: 'allow' } : { behavior: 'deny', message: 'The user said no. Go on without it.' };
  };
}

/** Prints what becomes of each call: which step of the order has decided it, why, and what the model reads. */
export function printing(): AgentHandler {
  return {
    name: 'printing',
    onEvent(event) {
      if (event.type === 'content') process.stdout.write(event.delta);
      else if (event.type === 'user_message') console.log(`> ${event.content}\n`);
      else if (event.type === 'tool_use') console.log(`\n● ${event.name} ${JSON.stringify(event.input)}`);
      else if (event.type === 'permission') console.log(`  ${event.decision} (${event.step}): ${event.reason}`);
      else if (event.type === 'tool_result') console.log(dim(`  ⎿ ${event.output.replaceAll('\n', '\n    ')}`));
      else if (event.type === 'turn_end') console.log();
      else if (event.type === 'result') console.log(`${event.subtype}: ${event.usage.totalTokens} tokens`);
    },
  };
}

async function answered(signal: AbortSignal): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y/i.test(await terminal.question('  ? y/n ', { signal }));
  } finally {
    terminal.close();
  }
}
