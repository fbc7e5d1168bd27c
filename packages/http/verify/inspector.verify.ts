// needs: chromium
// The pages `/inspector` and `/docs` in a Chromium, over a real server: what a person sees, clicks and types, and what hostile output cannot do.
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { Tally } from '../../session/verify/support/tally.ts';
import { answersByKeyboard } from './support/answers-by-keyboard.ts';
import { CALLS_OF_CROWD, HOSTILE, inspected, LONG, WIDE } from './support/inspected.ts';

const TOKEN = 'token-of-the-inspector';
const WINDOW = { width: 1280, height: 760 };
const NARROW = { width: 390, height: 844 };
/** A busy machine may take its time. */
const PATIENCE_MS = 30_000;
const tally = new Tally();
const executablePath = execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim();
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const faults: string[] = [];
const server = await inspected(TOKEN);
try {
  const page = await opened('/inspector', 'light');
  await asksForToken(page);
  await showsRun(page);
  await showsHostile(page);
  await showsCrowd(page);
  await walks(page);
  await answersNarrow();
  await looks();
  await showsDocs();
  await refusesWhatIsNotOurs();
  tally.check('no violation of the policy, no request to elsewhere, no error in a page', faults);
} catch (error) {
  for (const page of browser.contexts().flatMap((one) => one.pages())) await shot(page, 'failed');
  const shown = await Promise.all(
    browser
      .contexts()
      .flatMap((one) => one.pages())
      .map((page) => page.locator('body').innerText()),
  );
  tally.check('the whole walk', [String(error), ...faults, ...shown]);
} finally {
  await browser.close();
  await server[Symbol.asyncDispose]();
}
console.log(`seen in chromium ${browser.version()}`);
tally.end();

async function asksForToken(page: Page): Promise<void> {
  await page.getByLabel('Token of the server').fill('wrong');
  await page.keyboard.press('Enter');
  await sees('that a wrong token is refused', page, 'The server does not know this token.');
  await page.getByLabel('Token of the server').fill(TOKEN);
  await page.keyboard.press('Enter');
  await sees('an empty list', page, 'There is no such session yet.');
  const kept = await page.evaluate('[localStorage.length, document.cookie, Object.values(sessionStorage)]');
  equal('the token is in the storage of the tab alone', kept, [0, '', [TOKEN]]);
}

/** A run, live, to its end: answered by a click, a word and a click. */
async function showsRun(page: Page): Promise<void> {
  const sessionId = await server.made('report', 'Write the weekly report');
  await page.locator('session-list .row').getByText('Write the weekly report').click();
  await sees('a question of the model', page, 'Which title shall it have?');
  await sees('the state of the session', page.locator('session-list .state'), 'waiting');
  await sees('a call', page.getByRole('tree'), '"of":"Introduction"');
  const inner = page.getByRole('treeitem', { name: 'I measure the draft.' });
  await sees('a subagent', page.getByRole('tree'), 'The draft is short enough.');
  equal('it is nested in its call', await inner.first().getAttribute('aria-level'), '4');
  await shot(page, 'waiting');
  await page.getByLabel('Lamps and desks').check();
  await page.getByRole('button', { name: 'Answer' }).click();
  await sees('a permission that is asked for', page, 'May Publish run?');
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await sees('the end of the run', page.getByRole('tree'), 'The report is out.');
  await sees('its state', page.getByRole('tree'), 'success');
  await page.getByRole('treeitem', { name: 'AskUser' }).click();
  await sees('the output of a call', page.getByLabel('Details'), 'The user chose: Lamps and desks');
  await page.getByRole('tab', { name: 'log' }).click();
  await sees('the raw log', page.getByLabel('Events as they came'), 'run_started');
  await page.getByRole('tab', { name: 'timeline' }).click();
  await comesAgain(page, `/v1/sessions/${sessionId}`);
}

/** The stream ends, and what happens then is seen once. */
async function comesAgain(page: Page, path: string): Promise<void> {
  const again = page.waitForRequest((request) => request.headers()['last-event-id'] !== undefined);
  await server.ask(`${path}/close`, {});
  await again;
  const { messageId } = await server.ask(`${path}/messages`, { text: 'Once more.' });
  await sees('what came after the stream was cut off', page.getByRole('tree'), 'Once more.');
  await page.getByRole('treeitem').filter({ hasText: 'The report is out.' }).nth(1).waitFor();
  equal('each row once', await page.getByRole('treeitem').filter({ hasText: 'Write the weekly report' }).count(), 1);
  await server.ask(`${path}/rewind`, { messageId, conversation: true });
  await sees('a rewind, marked', page.getByRole('tree'), 'rewound');
  equal('what it took back is dimmed', await page.locator('.taken-back').count(), 2);
}

async function showsHostile(page: Page): Promise<void> {
  await server.made('hostile', HOSTILE);
  await page.locator('session-list .row').getByText('<img src=x').click();
  await page.getByRole('treeitem', { name: 'Fetch' }).click();
  await sees('markup as text', page.getByLabel('Details'), '<script>window.hit = 2</script>');
  await sees('hidden characters', page.getByLabel('Details'), '⟨U+202E⟩gnp.exe⟨U+202C⟩ ⟨U+001B⟩[31mred⟨U+0007⟩');
  await page.getByRole('treeitem').filter({ hasText: 'xxxx' }).click();
  const start = performance.now();
  await page.getByRole('button', { name: 'show all (5.0 MB)' }).click();
  const shown = () =>
    page
      .locator('.detail pre')
      .last()
      .evaluate((pre) => pre.textContent?.length);
  equal('a line of 5 MB, when it is asked for', await shown(), LONG);
  console.log(`5 MB shown in ${Math.round(performance.now() - start)} ms`);
  equal('no script ran', await page.evaluate('window.hit ?? "none"'), 'none');
  equal('no picture', await page.locator('img').count(), 0);
}

async function showsCrowd(page: Page): Promise<void> {
  const sessionId = await server.made('crowd', 'Measure everything');
  await until('the crowd has run', async () => (await server.ask(`/v1/sessions/${sessionId}`)).state === 'idle');
  const start = performance.now();
  await page.locator('session-list .row').getByText('Measure everything').click();
  await page.getByRole('treeitem').first().getByText('success').waitFor();
  await page.getByRole('tree').press('End');
  await page.getByRole('treeitem').last().getByText('All are measured.').waitFor();
  const ms = Math.round(performance.now() - start);
  await page.getByRole('tab', { name: 'log' }).click();
  const space = page.getByLabel('Events as they came').locator('.space');
  const events = await space.evaluate((element) => (element as unknown as { offsetHeight: number }).offsetHeight / 28);
  console.log(`${events} events shown in ${ms} ms`);
  tally.check('at least 10,000 events', events >= 10_000 ? [] : [`${events}`]);
  const rows = await page.getByRole('option').count();
  tally.check('only rows in sight are in the document', rows < 100 ? [] : [`${rows}`]);
  await page.getByRole('tab', { name: 'timeline' }).click();
  await page.getByLabel('Filter rows').fill(`part 7.${CALLS_OF_CROWD - 1}"`);
  await page.getByRole('treeitem', { name: `part 7.${CALLS_OF_CROWD - 1}` }).waitFor();
  await page.getByLabel('Filter rows').fill('');
}

/** No mouse. */
async function walks(page: Page): Promise<void> {
  const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")');
  const keys = async (...all: string[]) => {
    for (const key of all) await page.keyboard.press(key);
  };
  await page.goto(`${server.url}/inspector`);
  await page.locator('session-list .row').nth(2).waitFor();
  equal('the list has the focus at first', await focused(), 'Sessions');
  await keys('/');
  equal('/ goes to the filter', await focused(), 'Filter sessions');
  await page.keyboard.type('weekly');
  await keys('Escape', 'Home', 'Enter');
  await page.locator('[aria-label=Timeline]:focus').waitFor(); // Enter opens the session
  await page.getByRole('treeitem', { name: 'AskUser' }).waitFor();
  await keys('Home', 'j', 'ArrowDown', 'k');
  const chosen = page.locator('[role=tree] [aria-selected=true]');
  equal('j and k move', await chosen.getAttribute('aria-posinset'), '2');
  const rows = () => page.getByRole('treeitem').count();
  const all = await rows();
  await keys('Home', 'ArrowLeft');
  equal('left closes a row', [(await rows()) < all, await chosen.getAttribute('aria-expanded')], [true, 'false']);
  await keys('ArrowRight');
  equal('right opens it', await rows(), all);
  await keys('Enter');
  equal('Enter goes to the details', await focused(), 'Details');
  const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
  equal('the focus is seen', outline, 'solid');
  await keys('Escape');
  equal('Escape goes back', await focused(), 'Timeline');
  await keys('Escape');
  equal('and to the list', await focused(), 'Sessions');
}

/** On a telephone. */
async function answersNarrow(): Promise<void> {
  const sessionId = await server.made('asking', `Ask about all ${WIDE}`);
  const page = await openedSession(sessionId, 'light', NARROW);
  await answersByKeyboard(page, { sees, equal });
  await shot(page, 'narrow');
  const messages = JSON.stringify(await server.ask(`/v1/sessions/${sessionId}/messages`));
  const reach = ['Warm white', 'The user chose: Attic, Cellar', 'Not on a Sunday'];
  tally.check(
    'each answer reaches the model',
    reach.filter((one) => !messages.includes(one)),
  );
  equal('what was denied did not run', messages.includes('is published'), false);
  await page.close();
}

/** Two pictures for the README. */
async function looks(): Promise<void> {
  const sessionId = await server.made('report', 'Write the monthly report');
  const grounds: string[] = [];
  for (const scheme of ['light', 'dark'] as const) {
    const page = await openedSession(sessionId, scheme);
    await page.getByRole('treeitem', { name: 'Task' }).click();
    await page.getByText('Which title shall it have?').first().waitFor();
    grounds.push(String(await page.evaluate('getComputedStyle(document.body).backgroundColor')));
    await shot(page, scheme);
    await page.close();
  }
  equal('dark and light', grounds, ['rgb(255, 255, 255)', 'rgb(16, 18, 22)']);
}

async function showsDocs(): Promise<void> {
  const page = await opened('/docs', 'light');
  await page.getByLabel('Token of the server').fill(TOKEN);
  await page.keyboard.press('Enter');
  await sees('the tag of sessions', page, 'Conversations of an agent');
  const send = page.getByRole('region', { name: 'sendMessage' });
  await sees('an operation', send, '/v1/sessions/{id}/messages');
  await sees('its parameters', send, 'idempotency-key');
  await sees('its answers', send, 'Another message came under this');
  await sees('a line of curl', send, `curl -X POST -H "Authorization: Bearer $TOKEN"`);
  await sees('a schema', page.getByRole('region', { name: 'SessionList' }), 'sessions: Session[]');
  await shot(page, 'docs');
}

/** The negative control of the policy: what it must refuse is tried, and each refusal is seen. */
async function refusesWhatIsNotOurs(): Promise<void> {
  const before = faults.length;
  const page = await opened('/docs', 'light');
  await page.evaluate(`{
    const script = document.createElement('script');
    script.textContent = 'window.hit = 3';
    const style = document.createElement('style');
    style.textContent = 'body { display: none }';
    document.body.append(script, style, Object.assign(new Image(), { src: 'other.png' }));
    fetch('http://127.0.0.1:9/').catch(() => undefined);
  }`);
  const directives = ["script-src 'self'", "style-src 'self'", "default-src 'none'", "connect-src 'self'"];
  const isRefused = (one: string) => faults.slice(before).some((fault) => fault.includes(one));
  await until('all four are refused', () => directives.every(isRefused));
  equal('an inline script is refused', await page.evaluate('window.hit ?? "none"'), 'none');
  faults.splice(before);
  await page.close();
}

/** With the token already given. */
async function openedSession(sessionId: string, scheme: 'light' | 'dark', viewport = WINDOW): Promise<Page> {
  const page = await opened('/docs', scheme, viewport);
  await page.evaluate(`sessionStorage.setItem('agent-sdk.token', '${TOKEN}')`);
  await page.goto(`${server.url}/inspector#${sessionId}`);
  return page;
}

async function opened(path: string, colorScheme: 'light' | 'dark', viewport = WINDOW): Promise<Page> {
  const page = await browser.newPage({ colorScheme, viewport });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('401')) faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(server.url)) faults.push(request.url());
  });
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(server.url + path);
  return page;
}

/** Looks again until it holds. @throws Error that names what did not come */
async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = 0; looks < 600; looks += 1) {
    if (await holds()) return;
    await sleep(50);
  }
  throw new Error(`It was waited for in vain: ${what}`);
}

async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env['INSPECTOR_SHOTS'];
  if (folder) await page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, `file://${folder}/`)) });
}

async function sees(what: string, where: Page | ReturnType<Page['locator']>, text: string): Promise<void> {
  const found = where.getByText(text).first();
  tally.check(
    what,
    await found.waitFor({ timeout: PATIENCE_MS }).then(
      () => [],
      (error) => [`not seen: ${text}`, String(error)],
    ),
  );
}

function equal(what: string, found: unknown, wanted: unknown): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)];
  tally.check(what, one === other ? [] : [`${one} is not ${other}`]);
}
