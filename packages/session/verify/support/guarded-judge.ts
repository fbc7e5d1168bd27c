import { isDeepStrictEqual } from 'node:util';
import { textOf } from '@x/core';
import type { SessionEntry } from '../../src/index.ts';
import type { Acknowledgement } from './acknowledgements.ts';
import { type Contents, userTextsIn } from './do-work.ts';
import { finalItem } from './guarded-host.ts';
import { callsAt, type GuardedCall, type GuardedPlan, numberAt, placesOf } from './guarded-plan.ts';
import { outputsIn, recordsIn, unknownOf } from './judge.ts';
import { runText, steerText } from './plan.ts';
import { scopeFaults, scopesIn, spokenIn } from './scope-judge.ts';
import type { Witness } from './witness.ts';

/** What each process, counted from 1, has found allowed when it began. */
export type AllowedBefore = readonly (ReadonlySet<string> | undefined)[];

/** Questions to the host about calls that were allowed before the process began. */
export function askedAgainFaults({ questions }: Witness, allowed: AllowedBefore): string[] {
  const again = questions.filter(({ callId, life }) => allowed[life]?.has(callId));
  return again.map(({ callId, life }) => `asked about ${callId} again in life ${life}`);
}

export interface EffectCase {
  readonly plan: GuardedPlan;
  readonly witness: Witness;
  readonly allowed: AllowedBefore;
  readonly entries: readonly SessionEntry[];
}

/** Effects that happened twice, without leave, on another item than the hooks and the host said, or not at all. */
export function effectFaultsOf({ plan, witness, allowed, entries }: EffectCase): string[] {
  const faults: string[] = [];
  const calls = new Map(
    placesOf(plan).flatMap((place) => callsAt(plan, place).map((call) => [call.id, call] as const)),
  );
  const maySo = (callId: string, life: number) =>
    allowed[life]?.has(callId) ||
    witness.questions.some((one) => one.callId === callId && one.life === life && one.answer === 'allow');
  for (const { callId, tool, item, life } of witness.effects) {
    if (tool === 'wipe') faults.push(`${callId} was denied and ran`);
    if (item !== finalItem(tool, callId)) faults.push(`${callId} was done with ${item}`);
    if (!maySo(callId, life)) faults.push(`${callId} ran without leave`);
  }
  for (const { agent, life } of witness.agents) {
    const task = [...calls.values()].find(({ starts }) => starts === agent);
    if (task && !maySo(task.id, life)) faults.push(`the agent ${agent} ran without leave`);
  }
  const unknown = new Set(unknownOf(entries));
  for (const { id, name } of calls.values()) {
    const times = witness.effects.filter(({ callId }) => callId === id).length;
    if (times > 1) faults.push(`${id} had its effect ${times} times`);
    if (times === 0 && isActing(name) && !unknown.has(id)) faults.push(`${id} is answered and had no effect`);
  }
  return faults;
}

function isActing(tool: string): boolean {
  return ['book', 'order', 'charge'].includes(tool);
}

export interface GuardedEnding {
  readonly plan: GuardedPlan;
  readonly contents: Contents;
  readonly acknowledged: readonly Acknowledgement[];
  /** Calls found open at any stop, which may not be repeated. */
  readonly interrupted: ReadonlySet<string>;
  /** An undisturbed session; undefined for that one itself. */
  readonly reference: Pick<GuardedEnding, 'contents' | 'acknowledged'> | undefined;
}

/** How the finished session differs from an undisturbed one, apart from calls that are reported as unknown. */
export function guardedFaults({ plan, contents, acknowledged, interrupted, reference }: GuardedEnding): string[] {
  const { entries, waiting } = contents;
  const faults = scopesIn(entries).flatMap(scopeFaults);
  const expect = (what: string, found: readonly unknown[], expected: readonly unknown[]) => {
    const [one, other] = [found.map(String).toSorted().join(' '), expected.map(String).toSorted().join(' ')];
    if (one !== other) faults.push(`${what}: found ${one}, expected ${other}`);
  };
  const places = placesOf(plan);
  const planned = places.map((place) => numberAt(plan, place));
  const calls = new Map(places.flatMap((place) => callsAt(plan, place).map((call) => [call.id, call] as const)));
  const sent = userTextsIn(entries).filter((text) => /^(run|steer):/.test(text));
  const runs = Object.keys(plan.agents).flatMap((name) => (/^r\d$/.test(name) ? [Number(name.slice(1))] : []));
  expect('waiting messages', waiting, []);
  expect(
    'user messages',
    sent,
    runs.flatMap((run) => [runText(run), steerText(run)]),
  );
  const replies = recordsIn(entries, 'message').flatMap(({ message }) =>
    message.role === 'assistant' ? [message.usage.inputTokens] : [],
  );
  expect(
    'replies',
    replies.filter((number) => number < 1000 || number >= 9000),
    planned,
  );
  expect('unknown calls', unknownOf(entries), [...interrupted]);
  expect(
    'calls',
    recordsIn(entries, 'tool_finished').map(({ callId }) => callId),
    [...calls.keys()],
  );
  faults.push(...runFaults(entries), ...deniedFaults(entries, calls));
  if (reference) faults.push(...differences({ contents, acknowledged }, reference));
  return faults;
}

function runFaults(entries: readonly SessionEntry[]): string[] {
  const ended = entries.flatMap(({ body }) => (body.type === 'run_ended' ? [body.subtype] : []));
  const started = entries.filter(({ body }) => body.type === 'run_started').length;
  const failed = ended.filter((subtype) => subtype !== 'success').map((subtype) => `run ended: ${subtype}`);
  return ended.length === started ? failed : [...failed, `${started} runs have begun, ${ended.length} ended`];
}

function deniedFaults(entries: readonly SessionEntry[], calls: ReadonlyMap<string, GuardedCall>): string[] {
  const denied = recordsIn(entries, 'tool_finished').filter(({ callId }) => calls.get(callId)?.name === 'wipe');
  const ran = denied.filter(({ result }) => result.interrupted !== 'not_run' || !result.output.includes('Never.'));
  return ran.map(({ callId, result }) => `${callId} was denied and answered ${result.output}`);
}

type Left = Pick<GuardedEnding, 'contents' | 'acknowledged'>;

/** Every agent has said and heard the same in the same order, every call answered the same, every run come to the same result. */
function differences(found: Left, reference: Left): string[] {
  const faults: string[] = [];
  const { entries } = found.contents;
  const expected = reference.contents.entries;
  const [spoken, spokenBefore] = [spokenIn(entries), spokenIn(expected)];
  if (!isDeepStrictEqual(spoken, spokenBefore)) {
    faults.push(`said ${JSON.stringify(spoken)}, expected ${JSON.stringify(spokenBefore)}`);
  }
  const unknown = new Set(unknownOf(entries));
  const outputs = outputsIn(expected);
  for (const [callId, output] of outputsIn(entries)) {
    if (!unknown.has(callId) && output !== outputs.get(callId)) faults.push(`call ${callId} answered ${output}`);
  }
  const results = resultsOf(reference);
  for (const [run, content] of resultsOf(found)) {
    if (run.startsWith('run:') && content !== results.get(run)) faults.push(`the result of ${run} is ${content}`);
  }
  return faults;
}

/** The results that a reader was told, by the text that the run began with. */
function resultsOf({ contents, acknowledged }: Left): Map<string, string | undefined> {
  const texts = new Map(recordsIn(contents.entries, 'message').map(({ message }) => [message.id, textIn(message)]));
  return new Map(
    acknowledged.flatMap((one) => (one.kind === 'result' ? [[texts.get(one.messageId) ?? '', one.content]] : [])),
  );
}

function textIn(message: Parameters<typeof textOf>[0]): string {
  return textOf(message);
}
