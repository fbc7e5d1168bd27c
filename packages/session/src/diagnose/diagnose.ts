import { AbortError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { defaultStorePath } from '../host/home.ts';
import { checkHome } from './check-home.ts';
import { checkNetwork } from './check-network.ts';
import { checkClock, checkNode, checkPackages, checkProviders } from './check-packages.ts';
import { checkBash, checkRipgrep } from './check-programs.ts';
import { checkSandbox } from './check-sandbox.ts';
import { checkStore } from './check-store.ts';
import type { Diagnosis, DiagnosisCheck, Finding } from './diagnosis.ts';

/** Options of `diagnose`. */
export interface DiagnoseOptions {
  /** The file of the sessions; default: that of the default store. */
  readonly storePath?: string;
  /** Aborts the diagnosis, which then rejects with an AbortError. */
  readonly signal?: AbortSignal;
}

const OPTIONS: OptionRules<DiagnoseOptions> = { storePath: is.filePath, signal: is.abortSignal };

/**
 * Finds out what works on this host by trying it: writes and reads a store next to the sessions, asks programs for their versions. Leaves
 * no files behind, calls no service and shows no key. A failure is a check, not an error.
 * @throws ValidationError for an unknown or invalid option, AbortError
 */
export async function diagnose(options: DiagnoseOptions = {}): Promise<Diagnosis> {
  checkOptions('The options', options, OPTIONS);
  const { storePath = defaultStorePath(), signal = new AbortController().signal } = options;
  const looks: Readonly<Record<string, () => Finding | Promise<Finding>>> = {
    node: () => checkNode(),
    packages: () => checkPackages(),
    home: () => checkHome(storePath),
    store: () => checkStore(storePath, signal),
    clock: () => checkClock(),
    bash: () => checkBash(signal),
    ripgrep: () => checkRipgrep(signal),
    sandbox: () => checkSandbox(),
    providers: () => checkProviders(),
    network: () => checkNetwork(),
  };
  const checks: DiagnosisCheck[] = [];
  for (const [name, look] of Object.entries(looks)) {
    if (signal.aborted) throw new AbortError();
    checks.push({ name, ...(await look()) });
  }
  return { ok: checks.every(({ status }) => status !== 'failed'), checks };
}
