/** Characters that change what is around them without being seen: controls, directions, zero widths. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** The text with its hidden characters made visible. */
export function visible(text) {
  return String(text).replace(HIDDEN, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase();
    return `⟨U+${code.padStart(4, '0')}⟩`;
  });
}

/** The beginning of a text, on one line. */
export function oneLine(text, length = 200) {
  return text.slice(0, length).replace(/\s+/g, ' ').trim();
}

export function pretty(value) {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
}

export function duration(ms) {
  if (ms === undefined || !Number.isFinite(ms)) return '';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}

export function count(number) {
  return number.toLocaleString('en');
}

export function dollars(usd) {
  return usd === 0 ? '$0' : `$${usd.toFixed(usd < 0.01 ? 5 : 2)}`;
}

export function clock(at) {
  return new Date(at).toLocaleTimeString('en-GB', { hour12: false });
}
