import type { RewindOptions, RewindResult } from '@x/checkpoint';
import { AbortError } from '@x/core';
import { messageOf } from '@x/core/internal';
import type { SessionLog } from '../log/session-log.ts';
import { type Settings, workspaceOf } from './assemble.ts';
import { endCommands } from './end-commands.ts';
import type { SessionFacts } from './title-and-metadata.ts';

/**
 * Takes the files of a session back to a message, and records that. What a crash has left running is ended first.
 * @throws SessionError `SESSION_BUSY` while it is run, here or elsewhere; ValidationError; AbortError
 */
export async function rewindFiles(
  messageId: string,
  options: RewindOptions,
  { settings, facts }: { readonly settings: Settings; readonly facts: SessionFacts },
): Promise<RewindResult> {
  const { checkRewind, failedRewind } = await import('@x/checkpoint/internal'); // not before somebody rewinds
  checkRewind(messageId, options);
  if (!settings.checkpoints) {
    const why = 'This session has no checkpoints; they need enableFileCheckpointing: true';
    return failedRewind(settings.cwd, why, options.dryRun === true);
  }
  return await facts.owning((log) => filesRewound(messageId, options, { settings, log }));
}

/** `rewindFiles` by the owner of the session, with its checkpoints. */
export async function filesRewound(
  messageId: string,
  options: RewindOptions,
  { settings, log }: { readonly settings: Settings; readonly log: SessionLog },
): Promise<RewindResult> {
  const { checkpoints, cwd } = settings;
  const { failedRewind } = await import('@x/checkpoint/internal');
  if (options.signal?.aborted) throw new AbortError('The rewind was aborted; no file was changed');
  if (log.state.run) await endCommands(log.state, workspaceOf(settings));
  const result = await checkpoints!
    .using((files) => files.rewind(messageId, options))
    .catch((error: unknown) => {
      if (error instanceof AbortError) throw error;
      return failedRewind(cwd, messageOf(error), options.dryRun === true);
    });
  const { rewindId, restoredFiles, deletedFiles, conflicts } = result;
  if (rewindId !== undefined) {
    const counts = { restored: restoredFiles.length, deleted: deletedFiles.length, conflicts: conflicts.length };
    await log.append([{ type: 'files_rewound', messageId, rewindId, ...counts }]);
  }
  return result;
}
