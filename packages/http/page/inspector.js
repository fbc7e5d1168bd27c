import { forgetToken } from './api.js';
import './session-list.js';
import './session-view.js';

const list = document.querySelector('session-list');
const view = document.querySelector('session-view');

document.querySelector('#forget').addEventListener('click', forgetToken);
list.addEventListener('open', ({ detail }) => {
  if (location.hash === `#${detail}`) return view.focusList();
  location.hash = detail; // so that a session has an address
});
view.addEventListener('leave', () => list.focusList());
addEventListener('hashchange', openHash);
openHash();

/** Keys of the whole page. */
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.matches('input, select, textarea');
  if (event.key === 'Escape' && list.contains(event.target)) list.focusList();
  if (event.key !== '/' || isTyping) return;
  event.preventDefault();
  (view.contains(event.target) ? view : list).focusFilter();
});

function openHash() {
  const sessionId = location.hash.slice(1);
  if (sessionId === '') return list.focusList();
  list.current = sessionId;
  view.open(sessionId);
  view.focusList();
}
