import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '@x/core/internal';
import type { Finding } from './diagnosis.ts';

/** Permission bits of all but the owner. */
const OTHERS = 0o077;

/** Checks that only this user can read the directory of the sessions. */
export async function checkHome(storePath: string): Promise<Finding> {
  const home = dirname(storePath);
  try {
    const facts = await stat(home);
    if (!facts.isDirectory()) {
      return { status: 'failed', detail: `${home} is not a directory`, hint: 'Name another place in AGENT_SDK_HOME' };
    }
    const uid = process.getuid?.();
    if (uid !== undefined && facts.uid !== uid) {
      const detail = `${home} belongs to user ${facts.uid}, this process is user ${uid}`;
      return { status: 'warning', detail, hint: 'Name a place of your own in AGENT_SDK_HOME' };
    }
    const file = await sizeAndMode(storePath);
    const detail = `${home} has mode ${octal(facts.mode)}${file.detail}`;
    // On Windows a mode says nothing.
    const open = uid !== undefined && ((facts.mode | file.mode) & OTHERS) !== 0;
    if (!open) return { status: 'ok', detail };
    const hint = `Other users of this host may look into it: chmod 700 ${home}`;
    return { status: 'warning', detail, hint };
  } catch (error) {
    if (isAbsent(error)) return { status: 'ok', detail: `${home} is made, with mode 700, by the first session` };
    return { status: 'failed', detail: messageOf(error), hint: 'Name another place in AGENT_SDK_HOME' };
  }
}

async function sizeAndMode(path: string): Promise<{ readonly detail: string; readonly mode: number }> {
  try {
    const { size, mode } = await stat(path);
    return { detail: `, its sessions.db ${Math.ceil(size / 1024)} kB and mode ${octal(mode)}`, mode };
  } catch (error) {
    if (isAbsent(error)) return { detail: ', and no session yet', mode: 0 };
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'ENOENT';
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(3, '0');
}
