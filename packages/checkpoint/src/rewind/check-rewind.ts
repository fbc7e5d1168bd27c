import * as is from '@x/errors/option-rules';
import { checkOptions, checkValue, type OptionRules } from '@x/errors/option-rules';
import type { RewindOptions } from './types.ts';

const REWIND: OptionRules<RewindOptions> = {
  dryRun: is.flag,
  force: is.flag,
  paths: is.listOf(is.filePath, 'a list of paths'),
  callId: is.filledText,
  signal: is.abortSignal,
};

/** @throws ValidationError */
export function checkRewind(messageId: string, options: RewindOptions): void {
  checkOptions('rewind options', options, REWIND);
  checkValue('messageId', messageId, is.required(is.filledText));
}
