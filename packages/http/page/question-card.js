import { post } from './api.js';
import { el, longText, said } from './dom.js';
import { pretty } from './text.js';

/** A question that waits, with what answers it. `path` is that of the session; `done` is called when it is answered, here or elsewhere. */
export function questionCard(question, { path, done }) {
  const { callId, key, kind } = question;
  const problem = el('p', { class: 'problem', role: 'alert' });
  const give = async (answer) => {
    card.inert = true;
    try {
      await post(`${path}/answers`, { callId, answer: { key, ...answer } });
    } catch (error) {
      problem.textContent = error.message;
    }
    card.inert = false;
    done();
  };
  const parts = kind === 'ask_user' ? askedParts(question, give) : permissionParts(question, give);
  const card = el('section', { class: 'question', 'aria-label': 'Question' }, parts, problem);
  return card;
}

function permissionParts({ toolName, reason, input, suggestedRule }, give) {
  const why = el('input', { placeholder: 'a word to the model, if it is denied', 'aria-label': 'Reason of a denial' });
  const deny = () => give({ behavior: 'deny', ...(why.value.trim() ? { message: why.value.trim() } : {}) });
  const always = () => give({ behavior: 'allow', remember: [suggestedRule] });
  return [
    el('h2', {}, 'May ', said(toolName, 'code'), ' run?'),
    said(reason, 'p'),
    longText(pretty(input)),
    el(
      'div',
      { class: 'answers' },
      el('button', { class: 'main', click: () => give({ behavior: 'allow' }) }, 'Allow'),
      suggestedRule ? el('button', { click: always }, 'Always allow ', said(suggestedRule, 'code')) : undefined,
      el('button', { click: deny }, 'Deny'),
      why,
    ),
  ];
}

function askedParts({ input, callId }, give) {
  const { question, choices = [], multiple } = input ?? {};
  const text = el('input', { placeholder: 'in your own words', 'aria-label': 'Answer', name: 'text' });
  const picks = choices.map((choice) => {
    const pick = el('input', { type: multiple ? 'checkbox' : 'radio', name: `choice-${callId}`, value: choice });
    return el('label', { class: 'choice' }, pick, said(choice));
  });
  const send = (event) => {
    event.preventDefault();
    const picked = [...event.target.querySelectorAll(':checked')].map(({ value }) => value);
    const own = text.value.trim();
    if (picked.length === 0 && own === '') return text.focus();
    return give({ ...(picked.length > 0 ? { choices: picked } : {}), ...(own ? { text: own } : {}) });
  };
  const skip = el('button', { type: 'button', click: () => give({ behavior: 'deny' }) }, 'Decline');
  const buttons = el('div', { class: 'answers' }, text, el('button', { class: 'main' }, 'Answer'), skip);
  return [said(question ?? 'The model asks', 'h2'), el('form', { submit: send }, picks, buttons)];
}
