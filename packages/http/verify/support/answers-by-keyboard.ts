import type { Locator, Page } from 'playwright-core';
import { WIDE } from './inspected.ts';

interface Checks {
  readonly sees: (what: string, where: Page | Locator, text: string) => Promise<void>;
  readonly equal: (what: string, found: unknown, wanted: unknown) => void;
}

/** Answers each question of the profile `asking` by keys alone, and looks each time that all of the page is within its width. */
export async function answersByKeyboard(page: Page, { sees, equal }: Checks): Promise<void> {
  const at = async (question: string) => {
    await sees(`"${question}" waits`, page.locator('.question'), question);
    equal(`nothing is cut off at "${question}"`, await page.evaluate(CUT_OFF), []);
  };
  const press = async (name: string, key = 'Enter') => {
    await reach(page, name);
    await page.keyboard.press(key);
  };
  const type = async (name: string, text: string) => {
    await reach(page, name);
    await page.keyboard.type(text);
  };

  await at('May Bash run?');
  await press(`Always allow Bash(node --version ${WIDE})`);
  await at('Which colour?');
  await type('in your own words', ' Warm white ');
  await page.keyboard.press('Enter');
  await at('Which rooms?');
  for (const room of ['Attic', 'Cellar']) await press(room, 'Space');
  await press('Answer');
  await at('Which lawyer?');
  await press('Answer');
  equal('an empty answer is not sent', await page.evaluate(FOCUSED), 'in your own words');
  await press('Decline');
  await at('May Publish run?');
  await page.evaluate("document.querySelector('.question h2').style.width = '500px'");
  const seen = await page.evaluate<readonly string[]>(CUT_OFF);
  equal('negative control: a heading that is too wide is seen', seen.length > 0, true);
  await type('a word to the model, if it is denied', 'Not on a Sunday');
  await press('Deny');
  await sees('the end of the run', page, 'All is answered.');
}

/** The text of the element with the focus; of a field, what it asks for or stands for. */
const FOCUSED = `{
  const { activeElement: one } = document;
  (one.placeholder || one.value || one.textContent).trim();
}`;

/** Goes on with Tab, from the beginning of the page again behind its end. @throws Error that names what has been there instead */
async function reach(page: Page, wanted: string): Promise<void> {
  const seen: string[] = [];
  while (seen.length < 60) {
    const name = String(await page.evaluate(FOCUSED));
    if (name === wanted) return;
    seen.push(name);
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${wanted}, but ${[...new Set(seen)].join(', ')}`);
}

/** Elements of the page that are not within its width, or lie under another one where they ought to be used. */
const CUT_OFF = `{
  const isOut = (one) => {
    const { left, right, width } = one.getBoundingClientRect();
    return width > 0 && (left < 0 || right > innerWidth);
  };
  const isWider = (one) => one.scrollWidth > one.clientWidth + 1;
  const [page, card] = [document.documentElement, document.querySelector('.question')];
  const wide = [page, ...document.querySelectorAll('nav, main, session-view, .questions, .question, .detail')].filter(isWider);
  const out = [...document.querySelectorAll('a, button, input, select, h1, h2, .facts, [role=tree]')].filter(isOut);
  const hidden = [...card.querySelectorAll('button, input')].filter((one) => {
    one.scrollIntoView({ block: 'nearest' });
    const { x, y, width, height } = one.getBoundingClientRect();
    return !one.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  });
  [...wide, ...out, ...hidden].map(({ tagName, className, textContent }) => [tagName, className, textContent.slice(0, 30)].join(' '));
}`;
