import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createSession, type ISession } from '@x/agent-sdk';
import { check, clip, line, paint, pause, title, width, write } from './screen.ts';
import { optionsOf, type Stage } from './stage.ts';

const NOTES = 'Ask Eva about rounding.\n';

/** An agent breaks the project with the shell, while somebody writes a note; the way back leaves the note as it is. */
export async function undo({ url, store }: Stage, cwd: string): Promise<{ sessionId: string }> {
  title(4, 'It broke something with the shell. Rewind');
  const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
  const before = ['cart.js', 'cart.test.js'].map(read);
  const session = await createSession({
    ...optionsOf(url, store),
    cwd,
    permissionMode: 'bypassPermissions',
    enableFileCheckpointing: true,
  });
  const { messageId } = await session.send('Clean this project up.');
  for await (const event of session.stream()) {
    if (event.type === 'content') write(event.delta);
    else if (event.type === 'tool_use')
      line(`\n${paint.bold(`● ${event.name}`)} ${paint.dim(commandOf(event.input))}\n`);
    else if (event.type === 'error') line(paint.red(event.message));
  }
  writeFileSync(join(cwd, 'notes.txt'), NOTES);
  line(`\n\n${paint.dim('Meanwhile you have written')} notes.txt\n`);
  await pause(1_000);

  await showDryRun(session, messageId, cwd);
  const { success } = await session.rewind({ messageId });
  const after = ['cart.js', 'cart.test.js'].map(read);
  line();
  check('every file is as it was, byte for byte', success && after.join('\0') === before.join('\0'));
  check(
    'your note stands, and the conversation begins anew',
    read('notes.txt') === NOTES && session.messages.length === 0,
  );
  await session.close();
  await pause(1_000);
  return { sessionId: session.sessionId };
}

async function showDryRun(session: ISession, messageId: string, cwd: string): Promise<void> {
  const { files } = await session.rewind({ messageId, dryRun: true });
  for (const { filePath, operation, insertions, deletions } of files?.changes ?? []) {
    const counts = `${paint.green(`+${insertions}`)} ${paint.red(`-${deletions}`)}`;
    line(`  ${paint.dim(`would ${operation}`)} ${relative(cwd, filePath)} ${counts}`);
  }
}

function commandOf(input: unknown): string {
  return clip(String((input as { readonly command?: unknown }).command), width - 10); // safe: that of Bash
}
