import { AbortError, ValidationError } from '@x/core';
import { present } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { endOfRun } from '../log/fold.ts';
import { pointBefore } from '../log/rewind-point.ts';
import type { SessionStore } from '../log/session-store.ts';
import type { SessionRewindOptions, SessionRewindResult } from '../options/types.ts';
import { type Settings, workspaceOf } from './assemble.ts';
import { endCommands } from './end-commands.ts';
import { filesRewound, rewindFiles } from './rewind-files.ts';
import type { SessionFacts } from './title-and-metadata.ts';

const REWIND: OptionRules<SessionRewindOptions> = {
  messageId: is.required(is.filledText),
  files: is.flag,
  conversation: is.flag,
  dryRun: is.flag,
  force: is.flag,
  signal: is.abortSignal,
};

/** What is rewound. */
interface Rewound {
  readonly settings: Settings;
  readonly facts: SessionFacts;
  readonly store: SessionStore;
  readonly sessionId: string;
}

/** See `ISession.rewind`. The files first: a crash behind them leaves a conversation that can be rewound again. */
export async function rewindSession(options: SessionRewindOptions, parts: Rewound): Promise<SessionRewindResult> {
  checkOptions('rewind options', options, REWIND);
  const { settings, facts, store, sessionId } = parts;
  const {
    messageId,
    files = settings.checkpoints !== undefined,
    conversation = true,
    dryRun = false,
    signal,
  } = options;
  if (!files && !conversation) {
    throw new ValidationError('rewind has nothing to do: files or conversation must be true', 'conversation');
  }
  const ofFiles = { dryRun, ...present({ force: options.force, signal }) };
  if (!settings.checkpoints && files) {
    return { success: false, dryRun, files: await rewindFiles(messageId, ofFiles, parts) }; // says why
  }
  return await facts.owning(async (log) => {
    const point = conversation ? await pointBefore(store, { sessionId, messageId, now: log.state }) : undefined;
    if (signal?.aborted) throw new AbortError('The rewind was aborted; nothing was changed');
    const rewound = files ? await filesRewound(messageId, ofFiles, { settings, log }) : undefined;
    const success = rewound?.success ?? true;
    const result = { success, dryRun, ...present({ files: rewound }) };
    if (!point) return result;
    const { message, removed, entry } = point;
    if (success && !dryRun) {
      if (log.state.run) await endCommands(log.state, workspaceOf(settings));
      await log.append([...endOfRun(log.state, 'aborted'), entry]);
    }
    return success ? { ...result, conversation: { message, removed } } : result;
  });
}
