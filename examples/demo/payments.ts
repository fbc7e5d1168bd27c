import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createSession, type SessionEvent, textOf, toolUsesOf, watchSession } from '@x/agent-sdk';
import { type Receipt, receiptsIn } from './bank.ts';
import { nextMessage, startChild } from './children.ts';
import { check, clip, line, paint, pause, title, width } from './screen.ts';
import { optionsOf, type Stage } from './stage.ts';

/** A worker is killed after a payment and before its answer; another one goes on, and this process follows both. */
export async function payments({ folder, url, store }: Stage): Promise<{ sessionId: string }> {
  title(2, 'kill -9 in the middle of a payment');
  const ledger = join(folder, 'ledger.txt');
  const start = (deaf: string) => startChild('worker.ts', [join(folder, 'sessions.db'), ledger, url, deaf]);
  const session = await createSession(optionsOf(url, store));
  const { sessionId } = session;
  await session.send('Pay the invoices A1, A2 and A3.');
  await session.close();
  line(`${paint.dim(`Process ${process.pid} sends a message and follows (watchSession). Workers run it.`)}\n`);

  const first = (await start('A2')).child;
  const pids = [first.pid ?? 0];
  const say = timeline();
  const seen = Promise.withResolvers<void>();
  const followed = follow(watchSession({ store, sessionId }), { pids, say, onSecondPayment: seen.resolve });
  while ((await receiptFrom(first)) !== 'A2');
  await seen.promise;
  await pause(600);
  say('bank', paint.yellow('A2: the money is gone, the answer is still on its way'));
  await pause(900);
  say('you', paint.red(paint.bold(`$ kill -9 ${first.pid}`)));
  first.kill('SIGKILL');
  const [, signal] = await once(first, 'exit');
  say(`pid ${first.pid}`, paint.red(`ended by ${String(signal)}`));
  await pause(600);
  const second = (await start('nobody')).child;
  pids.push(second.pid ?? 0);
  const answers = await followed;
  second.kill('SIGTERM'); // it lets its runs end
  await once(second, 'exit');

  line();
  checkPayments(await receiptsIn(ledger), answers, pids);
  check(`worker ${first.pid} was killed by SIGKILL, ${second.pid} went on`, signal === 'SIGKILL');
  await pause(1_000);
  return { sessionId };
}

async function receiptFrom(worker: ChildProcess): Promise<string | undefined> {
  const message = (await nextMessage(worker)) as { readonly receipt?: string }; // safe: worker.ts sends nothing else
  return message.receipt;
}

/** Each invoice has one receipt in the ledger and one answer in the log. */
function checkPayments(
  receipts: readonly Receipt[],
  answers: readonly string[],
  [first, second]: readonly number[],
): void {
  const isOnce = (invoice: string, pid: number | undefined, answer: string) => {
    const payers = receipts.filter((one) => one.invoice === invoice).map((one) => one.pid);
    const told = answers.filter((text) => text.startsWith(invoice));
    return payers.length === 1 && payers[0] === pid && told.length === 1 && told[0] === `${invoice} ${answer}`;
  };
  check(`payment A1: already done, not repeated (1 receipt, by ${first})`, isOnce('A1', first, 'is paid.'));
  check(
    `payment A2: interrupted, looked up, not repeated (1 receipt, by ${first})`,
    isOnce('A2', first, 'was paid before the crash, says the ledger.'),
  );
  check(`payment A3: paid by the one that went on (1 receipt, by ${second})`, isOnce('A3', second, 'is paid.'));
}

type Say = (who: string, text: string, at?: number) => void;

/** Prints lines with their time, those of each process in a colour of its own. */
function timeline(): Say {
  const begun = Date.now();
  const colors = [paint.cyan, paint.green];
  const known: string[] = [];
  return (who, text, at = Date.now()) => {
    if (who.startsWith('pid') && !known.includes(who)) known.push(who);
    const color = colors[known.indexOf(who)] ?? paint.yellow;
    const seconds = Math.max(0, (at - begun) / 1_000).toFixed(2);
    line(`${paint.dim(`${seconds.padStart(5)} s`)} ${color(who.padStart(11))} ${paint.dim('│')} ${text}`);
  };
}

interface Following {
  readonly pids: readonly number[];
  readonly say: Say;
  readonly onSecondPayment: () => void;
}

/** Prints the events of all processes to the end of the run, and resolves to the answers of its tools; who works on it changes with `run_resumed`. */
async function follow(
  events: AsyncIterable<SessionEvent>,
  { pids, say, onSecondPayment }: Following,
): Promise<string[]> {
  let owner = 0;
  let payments = 0;
  const answers: string[] = [];
  for await (const one of events) {
    if (one.event.type === 'run_resumed') owner = pids.length - 1;
    for (const text of linesOf(one)) say(`pid ${pids[owner]}`, text, one.at);
    if (one.event.type === 'tool_started' && ++payments === 2) onSecondPayment();
    if (one.event.type === 'tool_result') answers.push(one.event.output);
    if (one.event.type === 'result') break;
  }
  return answers;
}

function linesOf({ event }: SessionEvent): string[] {
  if (event.type === 'user_message') return [`${paint.bold('>')} ${event.content}`];
  if (event.type === 'run_resumed') return [paint.cyan('goes on with the run, from the log')];
  if (event.type === 'tool_result') return [paint.dim(`  └ ${clip(event.output, width - 26)}`)];
  if (event.type !== 'message' || event.message.role !== 'assistant') return [];
  const calls = toolUsesOf(event.message).map(
    ({ name, input }) => `${paint.bold(`● ${name}`)} ${paint.dim(JSON.stringify(input))}`,
  );
  return [textOf(event.message), ...calls].filter((text) => text !== '');
}
