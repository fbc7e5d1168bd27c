// needs: chromium
// The chat stream against the real other side: `useChat` of `@ai-sdk/react` in a Chromium, over HTTP from a host in a process of its own,
// whose model stops at gates that are opened here. Compared are the lines that a person sees. Control: a host that leaves approvals out.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { chromium, type Page } from 'playwright-core';
import { GatedModel, type GatedScript } from './support/gated-model.ts';
import { end } from './support/served-process.ts';
import { Tally } from './support/tally.ts';

/** Milliseconds after which a page that shows something else is a fault. */
const PATIENCE_MS = 15_000;

const script: GatedScript = (asked, results) => {
  if (asked === 'Tell.') return ['Once ', { gate: 'upon' }, 'upon ', { gate: 'time' }, 'a time.'];
  if (asked === 'Count.' || asked === 'Begin.') {
    if (results.length === 0) return ['I look. ', { call: 'stock', input: ['{"item":', '"lamp"}'] }];
    return ['There ', { gate: asked }, `are ${results[0]}.`];
  }
  if (asked === 'And then?') return ['Then ', { gate: 'three' }, 'three.'];
  if (asked === 'Then stop.') return ['I begin. ', { gate: 'stop' }, 'I end.'];
  if (asked === 'Pay.') return results[0] ? [`It said: ${results[0]}`] : [{ call: 'pay', input: ['{"euros":40}'] }];
  return undefined;
};

const tally = new Tally();
const folder = await mkdtemp(join(tmpdir(), 'use-chat-'));
const file = join(folder, 'page.js');
const entry = join(import.meta.dirname, 'support/chat-page.jsx');
const define = { 'process.env.NODE_ENV': '"production"' };
await build({ entryPoints: [entry], bundle: true, outfile: file, jsx: 'automatic', define, logLevel: 'error' });
const model = new GatedModel(script);
const url = await model.listen();
const browser = await chromium.launch({ executablePath: which('chromium'), args: ['--no-sandbox'] });
const hosts: ChildProcess[] = [];
const startedAt = performance.now();
try {
  const host = await startHost('asking');
  await pieces(await opened(host.url));
  await toolCall(await opened(host.url));
  await approvals(host, 'Allow');
  await approvals(host, 'Deny');
  await reload(await opened(host.url));
  await stopped(await opened(host.url));
  await failed(await opened(host.url));
  const silent = await startHost('silent');
  const unseen = await asked(await opened(silent.url));
  tally.check('control, a host that leaves approvals out', unseen.length > 0 ? [] : ['the suite saw nothing wrong']);
  console.log(`control, a host that leaves approvals out: ${unseen[0] ?? 'nothing noticed'}`);
} finally {
  await browser.close();
  await Promise.all(hosts.map(end));
  await model[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
}
console.log(`seen in ${browser.browserType().name()} ${browser.version()} (${seconds()} s)`);
tally.end();

async function pieces(page: Page): Promise<void> {
  await say(page, 'Tell.');
  await sees('a text before it is whole', page, ['user: Tell.', 'assistant: Once ']);
  model.open('upon');
  await sees('its next piece', page, ['user: Tell.', 'assistant: Once upon ']);
  model.open('time');
  await sees('its end', page, ['user: Tell.', 'assistant: Once upon a time.']);
  await isReady(page);
}

async function toolCall(page: Page): Promise<void> {
  await say(page, 'Count.');
  const before = ['user: Count.', 'assistant: I look. ', 'stock (output-available) {"item":"lamp"} 7 lamps'];
  await sees('a tool with its input and output, before the run goes on', page, [...before, 'assistant: There ']);
  model.open('Count.');
  await sees('the reply to it', page, [...before, 'assistant: There are 7 lamps.']);
}

/** Asks for a payment; resolves to what is wrong with what the page shows when it rests. */
async function asked(page: Page): Promise<readonly string[]> {
  await say(page, 'Pay.');
  await page.getByText('{"euros":40}').waitFor();
  await isReady(page);
  return await faultsOf(page, ['user: Pay.', 'pay (approval-requested) {"euros":40}'], 1_000);
}

async function approvals(host: Host, button: 'Allow' | 'Deny'): Promise<void> {
  const page = await opened(host.url);
  const before = host.payments();
  tally.check('an approval is asked for', await asked(page));
  await page.reload();
  await sees('the question after a reload', page, ['pay (approval-requested) {"euros":40}']);
  tally.check('nothing is paid before', host.payments() === before ? [] : ['paid']);
  await page.getByRole('button', { name: button }).click();
  const output = button === 'Allow' ? 'Paid 40 euros.' : 'pay was not run: Too dear.';
  const state = button === 'Allow' ? 'output-available' : 'output-error';
  const lines = [`pay (${state}) {"euros":40} ${output}`, `assistant: It said: ${output}`];
  await sees(`the run goes on after ${button}`, page, lines);
  await isReady(page);
  const paid = host.payments() - before;
  tally.check(`payments after ${button}`, paid === (button === 'Allow' ? 1 : 0) ? [] : [`${paid} payments`]);
}

/** In the middle of a run: the page is loaded again, a second tab is opened, and both see the end. */
async function reload(page: Page): Promise<void> {
  const lines = ['assistant: I look. ', 'stock (output-available) {"item":"lamp"} 7 lamps'];
  const whole = [...lines, 'assistant: There are 7 lamps.'];
  await say(page, 'Begin.');
  await sees('a run under way', page, ['user: Begin.', ...lines, 'assistant: There ']);
  await page.reload();
  await sees('what there is of a message, after a reload', page, lines);
  const tab = await opened(page.url());
  await sees('the same in a second tab', tab, lines);
  model.open('Begin.');
  await sees('the whole message after a reload', page, whole);
  await sees('the whole message in a second tab', tab, whole);
  await say(tab, 'Tell.');
  await sees('the next run in that tab', tab, [...whole, 'user: Tell.', 'assistant: Once upon a time.']);
  await say(page, 'And then?');
  const another = [...whole, 'user: And then?', 'assistant: Then '];
  await sees('its own run in the first tab, which has not seen the one between', page, another);
}

/** `stop` leaves the run alone. */
async function stopped(page: Page): Promise<void> {
  await say(page, 'Then stop.');
  await sees('a run that will be left', page, ['user: Then stop.', 'assistant: I begin. ']);
  await page.getByRole('button', { name: 'Stop' }).click();
  await isReady(page);
  const other = await opened(page.url());
  await other.locator('main[data-status=submitted]').waitFor(); // it follows
  model.open('stop');
  await sees('the end of a run that was left', other, ['assistant: I begin. I end.']);
  await say(page, 'Tell.');
  const lines = ['user: Then stop.', 'assistant: I begin. ', 'user: Tell.', 'assistant: Once upon a time.'];
  await sees('the next run in the page that has left it', page, lines);
}

async function failed(page: Page): Promise<void> {
  await say(page, 'Sing.');
  await page.locator('main[data-status=error]').getByText('No such story.').waitFor();
  await say(page, 'Tell.');
  await sees('a run after one that has failed', page, ['user: Sing.', 'user: Tell.', 'assistant: Once upon a time.']);
}

interface Host {
  readonly url: string;
  readonly payments: () => number;
}

async function startHost(asks: 'asking' | 'silent'): Promise<Host> {
  const payments = join(folder, `${asks}-payments`);
  await writeFile(payments, '');
  const program = join(import.meta.dirname, 'support/chat-server.ts');
  const args = [program, join(folder, `${asks}.db`), payments, url, file, asks];
  const host = spawn(process.execPath, ['--conditions=@x/source', '--no-warnings', ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  hosts.push(host);
  const [address] = (await once(host, 'message')) as [string]; // safe: the program sends it
  return { url: address, payments: () => readFileSync(payments, 'utf8').split('\n').length - 1 };
}

async function opened(address: string): Promise<Page> {
  const page = await browser.newPage();
  page.on('pageerror', (error) => tally.check('no error in the page', [String(error)]));
  await page.goto(address);
  return page;
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox').fill(text);
  await page.getByRole('textbox').press('Enter');
}

async function isReady(page: Page): Promise<void> {
  await page.locator('main[data-status=ready]').waitFor();
}

async function sees(what: string, page: Page, lines: readonly string[]): Promise<void> {
  tally.check(what, await faultsOf(page, lines, PATIENCE_MS));
}

/** Waits until the page shows exactly these lines. */
async function faultsOf(page: Page, lines: readonly string[], timeout: number): Promise<readonly string[]> {
  const shown = () => page.locator('.line, #error:not(:empty)').allTextContents();
  const wanted = JSON.stringify(lines);
  const isShown = async () => JSON.stringify(await shown()) === wanted;
  const limit = performance.now() + timeout;
  while (!(await isShown())) {
    if (performance.now() > limit) return [`wanted ${wanted}`, `seen ${JSON.stringify(await shown())}`];
    await page.waitForTimeout(10);
  }
  return [];
}

function which(program: string): string {
  return execFileSync('which', [program], { encoding: 'utf8' }).trim();
}

function seconds(): number {
  return Math.round((performance.now() - startedAt) / 1000);
}
