import { appendFile, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, objectSchema, type Reconcile, type Tool } from '@x/agent-sdk';

/** A payment that has happened, whoever knows of it. */
export interface Receipt {
  readonly invoice: string;
  /** The process that has paid. */
  readonly pid: number;
}

/** Pays: the receipt is on the disk before the bank answers; for the invoice `deaf` it does not answer. */
export function payTool(ledger: string, deaf: string, onReceipt: (invoice: string) => void): Tool {
  return defineTool({
    name: 'pay',
    description: 'Pays an invoice. It cannot be taken back.',
    kind: 'execute',
    // The control of this demonstration: a tool that claims too much is run again after a crash, and an invoice is paid twice.
    effect: process.env['DEMO_PAY_EFFECT'] === 'idempotent' ? 'idempotent' : 'non_idempotent',
    inputSchema: objectSchema({
      invoice: { type: 'string', description: 'Its number.' },
      cents: { type: 'integer', description: 'How much.' },
    }),
    execute: async ({ invoice }, { signal }) => {
      await appendFile(ledger, `${invoice} ${process.pid}\n`, { flush: true });
      onReceipt(invoice);
      if (invoice === deaf) await sleep(60_000, undefined, { signal });
      return `${invoice} is paid.`;
    },
  });
}

export async function receiptsIn(ledger: string): Promise<Receipt[]> {
  const lines = (await readFile(ledger, 'utf8')).trim().split('\n');
  return lines.map((text) => {
    const [invoice = '', pid] = text.split(' ');
    return { invoice, pid: Number(pid) };
  });
}

/** Looks a payment up whose process has died before the bank answered. */
export function lookUp(ledger: string): Reconcile {
  return async ({ input }) => {
    const { invoice } = input as { readonly invoice: string }; // safe: checked when the call began
    const isPaid = (await receiptsIn(ledger)).some((receipt) => receipt.invoice === invoice);
    return isPaid
      ? { output: `${invoice} was paid before the crash, says the ledger.`, isError: false }
      : { output: `${invoice} was not paid.`, isError: true };
  };
}
