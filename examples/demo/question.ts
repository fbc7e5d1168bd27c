import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal, line, paint, write } from './screen.ts';

const SECONDS = 3;

/** Asks for a key. Nobody has to be there for a demonstration: it goes on by itself, at once where there is no terminal. */
export async function askForKey(question: string, signal: AbortSignal): Promise<boolean> {
  const { stdin } = process;
  if (!isTerminal || !stdin.isTTY) {
    line(`${question} [Y/n] y ${paint.dim('(no terminal: the demonstration says yes)')}`);
    return true;
  }
  const pressed = Promise.withResolvers<boolean>();
  const onKey = (key: Buffer) => {
    const text = key.toString();
    if (text === '\u0003') process.kill(process.pid, 'SIGINT'); // in raw mode, Ctrl-C is a key like others
    if (/^[yYnN\r]$/.test(text)) pressed.resolve(!/[nN]/.test(text)); // others were meant for somebody else
  };
  const leaving = new AbortController();
  stdin.setRawMode(true).on('data', onKey);
  try {
    for (let left = SECONDS; left > 0; left--) {
      write(`\r\u001b[2K${question} ${paint.bold('[Y/n]')} ${paint.dim(`(yes by itself in ${left} s)`)}`);
      const waited = sleep(1_000, undefined, { signal: AbortSignal.any([signal, leaving.signal]) });
      const yes = await Promise.race([pressed.promise, waited]);
      if (yes !== undefined) return answered(question, yes ? 'y' : 'n');
    }
    return answered(question, `y ${paint.dim('(nobody typed)')}`);
  } finally {
    leaving.abort();
    stdin.setRawMode(false).off('data', onKey).pause();
  }
}

function answered(question: string, answer: string): boolean {
  write(`\r\u001b[2K${question} [Y/n] ${answer}\n`);
  return answer.startsWith('y');
}
