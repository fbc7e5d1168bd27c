import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal, line, paint, write } from './screen.ts';

const SECONDS = 3;

/** Asks for one key. Nobody has to be there for a demonstration: it goes on by itself, at once where there is no terminal. */
export async function askForKey(question: string, signal: AbortSignal): Promise<boolean> {
  const { stdin } = process;
  if (!isTerminal || !stdin.isTTY) {
    line(`${question} [Y/n] y ${paint.dim('(no terminal: the demonstration says yes)')}`);
    return true;
  }
  stdin.setRawMode(true);
  const leaving = new AbortController();
  const any = AbortSignal.any([signal, leaving.signal]);
  try {
    const pressed = once(stdin, 'data', { signal: any });
    pressed.catch(() => undefined); // nobody has pressed a key
    for (let left = SECONDS; left > 0; left--) {
      write(`\r\u001b[2K${question} ${paint.bold('[Y/n]')} ${paint.dim(`(yes by itself in ${left} s)`)}`);
      const key = await Promise.race([pressed, sleep(1_000, undefined, { signal: any })]);
      if (key) return answered(question, String(key[0]));
    }
    write(`\r\u001b[2K${question} [Y/n] y ${paint.dim('(nobody typed)')}\n`);
    return true;
  } finally {
    leaving.abort();
    stdin.setRawMode(false);
    stdin.pause();
  }
}

function answered(question: string, key: string): boolean {
  if (key === '\u0003') process.kill(process.pid, 'SIGINT'); // Ctrl-C is a key like others here
  const yes = /^[yY\r\n]/.test(key);
  write(`\r\u001b[2K${question} [Y/n] ${yes ? 'y' : 'n'}\n`);
  return yes;
}
