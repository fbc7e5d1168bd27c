import { el } from './dom.js';

const KEY = 'agent-sdk.token';
const BASE = new URL('.', document.baseURI); // the app may be mounted anywhere

/** The answer to a request of this server, with the token; asks for the token when there is none that is taken. */
export async function request(path, { headers = {}, ...init } = {}) {
  for (;;) {
    const token = sessionStorage.getItem(KEY);
    const authorization = token ? { Authorization: `Bearer ${token}` } : {};
    const answer = await fetch(new URL(path, BASE), { ...init, headers: { ...headers, ...authorization } });
    if (answer.status !== 401) return answer;
    if (sessionStorage.getItem(KEY) === token) await askToken(token !== null);
  }
}

/** The JSON of an answer. @throws Error with the words of the server */
export async function json(path, init) {
  const answer = await request(path, init);
  if (answer.status === 204) return undefined;
  const body = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(body.error), { code: body.code });
  return body;
}

export function post(path, body) {
  return json(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
}

/** Forgets the token; what is shown goes with it. */
export function forgetToken() {
  sessionStorage.removeItem(KEY);
  location.reload();
}

let asking;

/** One dialog, whoever asks. */
function askToken(wasRefused) {
  asking ??= new Promise((resolve) => {
    const input = el('input', { type: 'password', id: 'token', autocomplete: 'off', spellcheck: 'false' });
    const keep = (event) => {
      event.preventDefault();
      if (!/^[!-~]+$/.test(input.value.trim())) return input.focus(); // no header could hold it
      sessionStorage.setItem(KEY, input.value.trim());
      dialog.remove();
      asking = undefined;
      resolve();
    };
    const hint = wasRefused ? 'The server does not know this token.' : 'Kept in this tab only, until it is closed.';
    const label = el('label', { for: 'token' }, 'Token of the server');
    const form = el('form', { submit: keep }, label, input, el('p', {}, hint), el('button', {}, 'Open'));
    const dialog = el('dialog', { class: 'ask', cancel: (event) => event.preventDefault() }, form);
    document.body.append(dialog);
    dialog.showModal();
  });
  return asking;
}
