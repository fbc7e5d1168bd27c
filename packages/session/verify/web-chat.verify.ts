// needs: chromium
// The page of `examples/web-chat` in a Chromium, as `npm start` serves it: loaded again while a tool runs, in two tabs, through an approval, over
// a server that ends in the middle of a run and comes again, with text that would be a picture if it were taken for HTML.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { Tally } from './support/tally.ts';

const PICTURE = '<img src=x onerror=alert(1)>';
const PAID = 'Paid 400 euros to Lumen.';

const tally = new Tally();
const folder = await mkdtemp(join(tmpdir(), 'web-chat-'));
const executablePath = execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim();
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
let server: ChildProcess | undefined;
const startedAt = performance.now();
try {
  const url = await start(0);
  const page = await opened(url);
  await page.waitForURL(/#.+/);
  const tab = await opened(page.url());
  await reloaded(page, tab);
  await restarted(page, tab, Number(new URL(url).port));
  await asText(page);
} finally {
  await browser.close();
  server?.kill('SIGKILL');
  await rm(folder, { recursive: true });
}
console.log(`seen in chromium ${browser.version()} (${Math.round((performance.now() - startedAt) / 1000)} s)`);
tally.end();

async function reloaded(page: Page, tab: Page): Promise<void> {
  await say(page, 'Order lamps.');
  await sees('a tool that runs, with its seconds', page, 'stock {"item":"lamp"} runs, 1 s');
  await page.reload();
  await sees('what was asked, after a reload', page, 'Order lamps.');
  await sees('a tool with its duration, after a reload', page, / done after \d+ ms/);
  await sees('an approval, in another tab', tab, /pay .*"euros":400} asks: /);
  await tab.getByRole('button', { name: 'allow' }).click();
  await sees('its effect where it was allowed', tab, PAID);
  await sees('its effect in the other tab', page, PAID);
  const [one, other] = await Promise.all([page, tab].map((each) => each.locator('#talk').innerText()));
  tally.check('both tabs show the same', one === other ? [] : [`${one}`, `${other}`]);
}

/** The server is told to end while a tool runs. */
async function restarted(page: Page, tab: Page, port: number): Promise<void> {
  await say(page, 'More lamps.');
  await page.getByText('stock {"item":"lamp"} runs').waitFor();
  const ending = server!;
  ending.kill('SIGINT');
  const [code] = (await once(ending, 'exit')) as [number | null];
  tally.check('Ctrl-C ends the server', code === 0 ? [] : [`it has ended with ${code}`]);
  await start(port);
  await page.getByRole('button', { name: 'deny' }).click();
  await sees('a refusal, over a server that was started again', page, /success, \d+ turns/);
  await sees('the same in a tab that has followed all the time', tab, 'Of the payment: pay was not run');
}

async function asText(page: Page): Promise<void> {
  await say(page, PICTURE);
  await sees('what the model says is text', page, `You said: "${PICTURE}"`);
  const pictures = await page.locator('img').count();
  tally.check('no picture', pictures === 0 ? [] : [`${pictures} pictures`]);
}

/** Resolves to the address of the server when it listens. */
async function start(port: number): Promise<string> {
  const { OPENAI_API_KEY: _, ...rest } = process.env;
  const env = { ...rest, PORT: `${port}`, CHAT_DB: join(folder, 'chat.db') };
  const program = join(import.meta.dirname, '../../../examples/web-chat/start.ts');
  const child = spawn(process.execPath, ['--conditions=@x/source', '--no-warnings', program], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  server = child;
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    const [, address] = /Open (\S+) in/.exec(String(text)) ?? [];
    if (address) return address;
  }
  throw new Error('The server has ended before it has listened');
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

async function sees(what: string, page: Page, text: string | RegExp): Promise<void> {
  const found = page.getByText(text).first().waitFor({ timeout: 15_000 });
  tally.check(
    what,
    await found.then(
      () => [],
      async () => [`${text}`, await page.locator('body').innerText()],
    ),
  );
}
