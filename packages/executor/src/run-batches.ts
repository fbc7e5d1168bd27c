import type { AgentConfig, AgentEvent, ToolResult, ToolUseBlock } from '@x/core';
import { flattened, inner, type Nested } from '@x/core/streams';
import { overlap } from './overlap.ts';
import { type CallSource, type Settled, settleCall } from './settle-call.ts';

const MAX_PARALLEL = 8;

/** Runs adjacent parallel-safe calls together, every other call alone; answers are in call order. */
export async function* runBatches(
  uses: readonly ToolUseBlock[],
  { config, reply, options }: Omit<CallSource, 'broken'>,
): Nested<AgentEvent, readonly ToolResult[]> {
  const source: CallSource = { config, reply, options, broken: { failed: false } };
  const limit = options.maxParallelTools ?? MAX_PARALLEL;
  const settled: Settled[] = [];
  for (const batch of batchesOf(uses, config)) {
    if (batch.length === 1) {
      const call = inner(settleCall(batch[0]!, source));
      yield call;
      settled.push(call.result);
    } else {
      const streams = batch.map((use) => () => flattened(settleCall(use, source)));
      const calls = inner(overlap(streams, { limit, opensNext: (event) => event.type === 'tool_started' }));
      yield calls;
      settled.push(...calls.result);
    }
  }
  const failed = settled.find((one) => 'failure' in one);
  if (failed) throw failed.failure; // only now: every call has its answer
  return settled.map((one) => one.result);
}

function batchesOf(uses: readonly ToolUseBlock[], { tools }: AgentConfig): ToolUseBlock[][] {
  const batches: ToolUseBlock[][] = [];
  let together = false;
  for (const use of uses) {
    const safe = tools.find(({ tool }) => tool.name === use.name)?.tool.parallelSafe ?? false;
    if (safe && together) batches.at(-1)!.push(use);
    else batches.push([use]);
    together = safe;
  }
  return batches;
}
