import { collect, type Script } from '@x/core/testing';
import { runAgent } from '../src/index.ts';
import { type RunParts, recordsOf, runOptions } from './run-options.ts';

/** A run to its end, with the outputs that were recorded. */
export async function ran(script: Script, parts: RunParts) {
  const run = runOptions(script, parts);
  const { events, value } = await collect(runAgent(run.options));
  const outputs = recordsOf(run.journal, 'tool_finished').map(({ result }) => result.output);
  return { ...run, events, value, outputs };
}
