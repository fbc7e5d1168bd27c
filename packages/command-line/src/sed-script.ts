const address: string = String.raw`(?:\d+(?:~\d+)?|\$|/[^/\\[\n]*/I?)`;
/** `3`, `$`, `/word/`, two of them with a comma, and a `!`; an expression with a bracket or an escape is not accepted. */
const addresses: RegExp = new RegExp(`^\\s*(?:${address}(?:\\s*,\\s*[+~]?${address})?\\s*!?\\s*)?`);

/**
 * True for a `sed` script that neither runs a command nor reads or writes a file: addresses with `p`, `d`, `q`, `=`, and substitutions
 * without the flags `e` and `w`, joined by `;`. Anything not understood is not harmless.
 */
export function isHarmlessSedScript(script: string): boolean {
  let at = 0;
  while (at < script.length) {
    const end = commandEnd(script, at);
    if (end === undefined) return false;
    at = end;
    const separator = /^\s*(;|$)\s*/.exec(script.slice(at, at + 100));
    if (!separator || (separator[1] === '' && at + separator[0].length < script.length)) return false;
    at += separator[0].length;
  }
  return true;
}

/** The end of the command that begins at `start`; undefined unless it is harmless. */
function commandEnd(script: string, start: number): number | undefined {
  const at = start + addressLength(script, start);
  const letter = script[at];
  if (letter !== undefined && 'pdqDPN=gGhHx'.includes(letter)) return at + 1;
  const delimiter = letter === 's' || letter === 'y' ? script[at + 1] : undefined;
  if (delimiter === undefined || /[\s\\\w;]/.test(delimiter)) return undefined;
  const middle = closing(script, at + 2, delimiter);
  const last = middle === undefined ? undefined : closing(script, middle + 1, delimiter);
  if (middle === undefined || last === undefined) return undefined;
  // Not every sed ends the pattern at a delimiter between brackets.
  if (letter === 's' && /\[\^?\]|\[[^\]]*$/.test(script.slice(at + 2, middle))) return undefined;
  const flags = /^[gpiI0-9]*/.exec(script.slice(last + 1, last + 30))![0];
  return last + 1 + flags.length;
}

function addressLength(script: string, start: number): number {
  return addresses.exec(script.slice(start, start + 2_000))![0].length;
}

function closing(script: string, from: number, delimiter: string): number | undefined {
  for (let at = from; at < script.length; at += 1) {
    if (script[at] === '\\') at += 1;
    else if (script[at] === '\n') return undefined;
    else if (script[at] === delimiter) return at;
  }
  return undefined;
}
