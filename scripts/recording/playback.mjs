/** Seconds of one picture: what changes within is seen at once. */
const PICTURE_SECONDS = 0.08;

/**
 * Plays an asciicast: `lines` are all texts that a line of the scroll has had, with the seconds from and to which it had it; `scrolls` says
 * how many lines are above the window from when on. Knows what the demonstration uses, and refuses the rest.
 */
export function playback(events, { columns, rows }) {
  const terminal = createTerminal(columns);
  const lines = [];
  const current = [];
  const scrolls = [{ at: 0, above: 0 }];
  for (const [index, [seconds, , data]] of events.entries()) {
    terminal.write(data);
    const picture = Math.floor(seconds / PICTURE_SECONDS);
    const next = events[index + 1];
    if (next && Math.floor(next[0] / PICTURE_SECONDS) === picture) continue;
    const at = picture * PICTURE_SECONDS;
    for (const row of terminal.takeChanged()) {
      const parts = partsOf(terminal.cells[row]);
      if (JSON.stringify(parts) === JSON.stringify(current[row]?.parts ?? [])) continue;
      if (current[row]) current[row].to = at;
      current[row] = { row, from: at, to: Number.POSITIVE_INFINITY, parts };
      lines.push(current[row]);
    }
    const above = Math.max(scrolls.at(-1).above, terminal.cells.length - rows);
    if (above > scrolls.at(-1).above) scrolls.push({ at, above });
  }
  return { lines: lines.filter(({ parts }) => parts.length > 0), scrolls, seconds: events.at(-1)[0] };
}

/** A terminal whose lines never leave it: `cells[row][column]` is a character with its style. */
function createTerminal(columns) {
  const cells = [[]];
  const changed = new Set();
  let [row, column, style] = [0, 0, ''];
  const controls = {
    A: (count) => {
      row = Math.max(0, row - (Number(count) || 1));
    },
    K: () => {
      cells[row] = [];
      changed.add(row);
    },
    m: (codes) => {
      style = styleAfter(style, codes);
    },
  };
  const put = (character) => {
    if (character === '\r') column = 0;
    else if (character === '\n' || column === columns) [row, column] = [row + 1, 0];
    cells[row] ??= [];
    if (character === '\r' || character === '\n') return;
    while (cells[row].length < column) cells[row].push({ character: ' ', style: '' });
    cells[row][column++] = { character, style };
    changed.add(row);
  };
  return {
    cells,
    takeChanged() {
      const taken = [...changed];
      changed.clear();
      return taken;
    },
    write(text) {
      const [plain, ...controlled] = text.split('\u001b');
      for (const character of plain) put(character);
      for (const piece of controlled) {
        const [control, parameters, letter] = /^\[([\d;?]*)([A-Za-z])/.exec(piece) ?? [piece];
        if (!Object.hasOwn(controls, letter ?? ''))
          throw new Error(`The recording uses ESC ${control}, which is not known here`);
        controls[letter](parameters);
        for (const character of piece.slice(control.length)) put(character);
      }
    },
  };
}

const COLORS = { 31: 'r', 32: 'g', 33: 'y', 36: 'c' };

/** A style is a string of letters: b(old), d(im), and one for the colour. */
function styleAfter(style, codes) {
  let letters = new Set(style);
  const color = (letter) => [...[...letters].filter((one) => 'bd'.includes(one)), ...(letter ? [letter] : [])];
  for (const code of codes.split(';')) {
    if (code === '' || code === '0') letters = new Set();
    else if (code === '1') letters.add('b');
    else if (code === '2') letters.add('d');
    else if (code === '22') letters = new Set([...letters].filter((one) => !'bd'.includes(one)));
    else if (code === '39' || Object.hasOwn(COLORS, code)) letters = new Set(color(COLORS[code]));
    else throw new Error(`The recording uses the style ${code}, which is not known here`);
  }
  return ['b', 'd', 'c', 'g', 'r', 'y'].filter((letter) => letters.has(letter)).join('');
}

/** Pieces of one style, each with its column; two spaces end one, so that columns stand where they should in any font. */
function partsOf(cells) {
  const parts = [];
  for (const [column, { character, style }] of cells.entries()) {
    const last = parts.at(-1);
    const goesOn = last?.style === style && column - last.column === last.text.length && !last.text.endsWith('  ');
    if (goesOn) last.text += character;
    else if (character !== ' ') parts.push({ column, style, text: character });
  }
  return parts.map((part) => ({ ...part, text: part.text.trimEnd() }));
}
