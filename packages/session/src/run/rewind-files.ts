import type { RewindOptions, RewindResult } from '@x/checkpoint';
import { messageOf } from '@x/core/internal';
import { type Settings, workspaceOf } from './assemble.ts';
import { endCommands } from './end-commands.ts';
import type { SessionFacts } from './title-and-metadata.ts';

/**
 * Takes the files of a session back to a message, and records that. What a crash has left running is ended first.
 * @throws SessionError `SESSION_BUSY` while it is run, here or elsewhere; ValidationError
 */
export async function rewindFiles(
  messageId: string,
  options: RewindOptions,
  { settings, facts }: { readonly settings: Settings; readonly facts: SessionFacts },
): Promise<RewindResult> {
  const { checkRewind, failedRewind } = await import('@x/checkpoint/internal'); // not before somebody rewinds
  checkRewind(messageId, options);
  const { checkpoints, cwd } = settings;
  const failed = (why: string) => failedRewind(cwd, why, options.dryRun === true);
  if (!checkpoints) return failed('This session has no checkpoints; they need enableFileCheckpointing: true');
  return await facts.owning(async (log) => {
    if (log.state.run) await endCommands(log.state, workspaceOf(settings));
    const result = await checkpoints
      .using((files) => files.rewind(messageId, options))
      .catch((error: unknown) => failed(messageOf(error)));
    const { rewindId, restoredFiles, deletedFiles, conflicts } = result;
    if (rewindId !== undefined) {
      const counts = { restored: restoredFiles.length, deleted: deletedFiles.length, conflicts: conflicts.length };
      await log.append([{ type: 'files_rewound', messageId, rewindId, ...counts }]);
    }
    return result;
  });
}
