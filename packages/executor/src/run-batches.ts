import type { AgentConfig, AgentEvent, ToolResult, ToolUseBlock } from '@x/core';
import { notRun, unknownEffect } from '@x/core/internal';
import { flattened, inner, type Nested } from '@x/core/streams';
import { overlap } from './overlap.ts';
import { type CallSource, type Settled, settleCall, type Waiting } from './settle-call.ts';

const MAX_PARALLEL = 8;

/**
 * Runs adjacent parallel-safe calls together, every other call alone; answers are in call order, undefined when some call waits for an
 * answer of a person: the calls behind it do not start before it is answered.
 */
export async function* runBatches(
  uses: readonly ToolUseBlock[],
  { config, reply, options }: Omit<CallSource, 'broken' | 'held'>,
): Nested<AgentEvent, readonly ToolResult[] | undefined> {
  const unheld: CallSource = { config, reply, options, broken: { failed: false } };
  const limit = options.maxParallelTools ?? MAX_PARALLEL;
  const settled: Settled[] = [];
  const waiting: Waiting[] = [];
  const settle = (one: Settled | Waiting) => {
    if ('waits' in one) waiting.push(one);
    else settled.push(one);
  };
  for (const batch of batchesOf(uses, config)) {
    const source = waiting.length > 0 ? { ...unheld, held: true } : unheld;
    if (batch.length === 1) {
      const call = inner(settleCall(batch[0]!, source));
      yield call;
      settle(call.result);
      if (!('waits' in call.result) && call.result.result.isError && isOfSequence(batch[0]!, config)) {
        unheld.broken.sequence = batch[0]!.name;
      }
    } else {
      const streams = batch.map((use) => () => flattened(settleCall(use, source)));
      const calls = inner(overlap(streams, { limit, opensNext: (event) => event.type === 'tool_started' }));
      yield calls;
      for (const one of calls.result) settle(one);
    }
  }
  const failed = settled.find((one) => 'failure' in one);
  if (failed || options.run.signal.aborted) for (const one of waiting) yield withdrawn(one);
  if (failed) throw failed.failure; // only now: every call has its answer
  return waiting.length > 0 ? undefined : settled.map((one) => one.result);
}

/** The end of a call that waits in a run that ends, for its reader; whoever records the end of the run records the same answer. */
function withdrawn({ waits: { id, name }, begun }: Waiting): AgentEvent {
  const { output, isError } = begun ? unknownEffect(name) : notRun(name);
  return { type: 'tool_result', id, name, output, isError };
}

function isOfSequence({ name }: ToolUseBlock, { tools }: AgentConfig): boolean {
  return tools.some(({ tool }) => tool.computer && tool.name === name);
}

function batchesOf(uses: readonly ToolUseBlock[], { tools }: AgentConfig): ToolUseBlock[][] {
  const batches: ToolUseBlock[][] = [];
  let together = false;
  for (const use of uses) {
    const tool = tools.find((one) => one.tool.name === use.name)?.tool;
    const safe = tool !== undefined && tool.parallelSafe && !tool.computer;
    if (safe && together) batches.at(-1)!.push(use);
    else batches.push([use]);
    together = safe;
  }
  return batches;
}
