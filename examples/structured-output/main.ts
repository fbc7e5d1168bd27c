// Answers as values: a schema goes in, a checked value comes out. Then an answer that is mended, and one that cannot be.
import { createSession, isAgentError, memoryStore, prompt } from '@x/agent-sdk';
import { serviceOr } from 'fake-provider';
import { bugReport } from './bug-report.ts';
import { script } from './script.ts';

const { provider, model, stop } = await serviceOr(script);
const outputFormat = { type: 'json_schema', schema: bugReport, name: 'BugReport' } as const;
const options = { provider, model, outputFormat, store: memoryStore(), allowedTools: [] };
const systemPrompt = 'You turn complaints into bug reports. Today is Monday, 16 March 2026.';
try {
  await ask();
  await watch();
  await fail();
} finally {
  await stop();
}

/** `structured` has the type of the schema; a date that the model wrote as text is a `Date` by now. */
async function ask(): Promise<void> {
  const complaint = 'The sum of my cart says NaN when I clear a quantity! Seen on 14 March.';
  const { structured, result } = await prompt(complaint, { ...options, systemPrompt });
  const { title, severity, steps, seenOn, workaround = 'none' } = structured;
  console.log(`${severity.toUpperCase()}: ${title}, seen on a ${weekdayOf(seenOn)}, workaround: ${workaround}`);
  for (const [index, step] of steps.entries()) console.log(`  ${index + 1}. ${step}`);
  console.log(`  as text: ${result}\n`);
}

/** An answer that does not fit is told what is wrong, in a turn of its own, which a reader of the stream sees. */
async function watch(): Promise<void> {
  const session = await createSession({ ...options, systemPrompt });
  await session.send('My cart has been broken since Saturday, the sum is gone!');
  for await (const event of session.stream()) {
    if (event.type === 'turn_start' && event.turn > 1) console.log();
    if (event.type === 'content') process.stdout.write(event.delta);
    if (event.type === 'user_message') console.log(`> ${withoutSchema(event.content)}`);
    if (event.type === 'result') console.log(`\n${event.subtype}: ${JSON.stringify(event.structured)}\n`);
  }
  await session.close();
}

/** After two repairs, or when the model refuses, the run fails, with all that is known of the answer. */
async function fail(): Promise<void> {
  try {
    const { structured } = await prompt('A poem about carts, please.', { ...options, systemPrompt });
    console.log(`It did answer: ${structured.title}`);
  } catch (error) {
    if (!isAgentError(error) || error.code !== 'OUTPUT_INVALID') throw error;
    // safe: what an OUTPUT_INVALID of prompt has
    const { result, issues, repairs, turnsCount } = error.details as {
      readonly result: string;
      readonly issues: readonly { readonly path: string; readonly message: string }[];
      readonly repairs: number;
      readonly turnsCount: number;
    };
    console.log(`${error.code} after ${turnsCount} turns, ${repairs} of them repairs: "${result}"`);
    for (const { path, message } of issues) console.log(`  ${path === '' ? 'the answer' : path}: ${message}`);
  }
}

function weekdayOf(date: Date): string {
  return date.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
}

function withoutSchema(text: string): string {
  return text.split('\nIt must fit this JSON Schema:')[0] ?? text;
}
