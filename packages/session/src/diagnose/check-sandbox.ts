import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '@x/core/internal';
import { createSandbox, SandboxUnavailableError } from '@x/sandbox';
import type { Finding } from './diagnosis.ts';

/** Checks whether commands can be contained, by running one in a sandbox. */
export async function checkSandbox(): Promise<Finding> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-sdk-sandbox-'));
  try {
    const box = await createSandbox({ cwd: folder });
    await box.close();
    const { limits, network } = box.capabilities;
    return { status: 'ok', detail: `${box.driver}; limits: ${limits.join(', ')}; network: ${network.join(', ')}` };
  } catch (error) {
    const isMissing = error instanceof SandboxUnavailableError;
    const why = isMissing
      ? error.reasons.map(({ driver, reason }) => `${driver}: ${reason}`).join('; ')
      : messageOf(error);
    return { status: 'warning', detail: why, hint: 'Sessions with sandbox.enabled do not start here; others do' };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
