import { appendFile, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, objectSchema, type SessionOptions, type Tool } from '@x/agent-sdk';

/** Two tools that act on the world outside, each line of which stands in a file; told of each effect, they take their time. */
export function officeTools(ledger: string, onEffect: (name: string) => void): Tool[] {
  const act = async (line: string, signal: AbortSignal, name: string): Promise<void> => {
    await appendFile(ledger, `${line}\n`);
    onEffect(name);
    await sleep(60_000, undefined, { signal });
  };
  const pay = defineTool({
    name: 'pay',
    description: 'Pays an invoice. It cannot be taken back.',
    inputSchema: objectSchema({
      invoice: { type: 'string', description: 'Its number.' },
      amount: { type: 'number', description: 'In euros.' },
    }),
    parallelSafe: true,
    execute: async ({ invoice, amount }, { idempotencyKey, signal }) => {
      await act(`${idempotencyKey} paid invoice ${invoice}: ${amount}`, signal, 'pay');
      return `Invoice ${invoice} is paid.`;
    },
  });
  const writeLetter = defineTool({
    name: 'write_letter',
    description: 'Sends a letter by post.',
    inputSchema: objectSchema({
      to: { type: 'string', description: 'Whom it goes to.' },
      text: { type: 'string', description: 'What it says.' },
    }),
    parallelSafe: true,
    execute: async ({ to }, { signal }) => {
      await act(`letter to ${to}`, signal, 'write_letter');
      return `The letter to ${to} is in the post.`;
    },
  });
  return [pay, writeLetter];
}

/** Looks a call up whose end nobody saw: the bank knows payments by their key, the post office knows nothing. */
export function lookUp(ledger: string, sessionId: string): NonNullable<SessionOptions['reconcile']> {
  return async ({ id, name }) => {
    console.log(`  reconcile is asked what became of ${name}`);
    if (name !== 'pay') return undefined;
    const lines = (await readFile(ledger, 'utf8')).split('\n');
    const found = lines.find((line) => line.startsWith(`${sessionId}:${id} `));
    return found
      ? { output: 'Invoice 17 is paid, once, as the ledger says.', isError: false }
      : { output: 'Nothing was paid; it may be tried again.', isError: true };
  };
}
