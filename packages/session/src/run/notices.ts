import type { DiagnosisCheck } from '../diagnose/diagnosis.ts';
import type { Notice } from './store-slow.ts';

const MAX = 50;

/** The last 50 different notices of a session, newest last. */
export class Notices {
  /** Created with the first one. */
  #known: Map<string, DiagnosisCheck> | undefined;

  get checks(): readonly DiagnosisCheck[] {
    return [...(this.#known?.values() ?? [])];
  }

  add({ kind, message }: Notice): void {
    if (kind === 'mcp_log') return; // what a server chats about would drive out what the host must know
    const known = (this.#known ??= new Map());
    const key = `${kind} ${message}`;
    known.delete(key);
    known.set(key, { name: kind, status: 'warning', detail: message });
    if (known.size > MAX) {
      const [oldest = ''] = known.keys();
      known.delete(oldest);
    }
  }
}
