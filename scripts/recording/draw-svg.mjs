const CELL = { width: 8, height: 18, font: 13.3 };
const MARGIN = { side: 16, top: 44, bottom: 14 };
/** Seconds for which the last picture stays before it begins again. */
const REST_SECONDS = 5;
const STYLES =
  '.b{font-weight:700}.d{fill:#8b949e}.r{fill:#ff7b72}.g{fill:#56d364}.y{fill:#e3b341}.c{fill:#56d4dd}' +
  '@media(prefers-reduced-motion:reduce){*{animation:none!important}}';

/** Draws what `playback` returns: a picture that moves by CSS alone, and shows its end where nothing moves. */
export function drawSvg({ lines, scrolls, seconds }, { columns, rows, title }) {
  const total = seconds + REST_SECONDS;
  const percent = (at) => `${((100 * at) / total).toFixed(2)}%`;
  const [width, height] = [columns * CELL.width, rows * CELL.height];
  const names = new Map();
  const nameOf = ({ from, to }) => {
    const key = `0%{visibility:hidden}${percent(from)}{visibility:visible}${to < total ? `${percent(to)}{visibility:hidden}` : ''}`;
    if (!names.has(key)) names.set(key, `k${names.size}`);
    return names.get(key);
  };
  const texts = lines.map((line) => textOf(line, nameOf(line), line.to < total));
  const scroll = scrolls
    .map(({ at, above }) => `${percent(at)}{transform:translateY(${-above * CELL.height}px)}`)
    .join('');
  const css =
    `text{animation:${total.toFixed(1)}s step-end infinite}.h{visibility:hidden}` +
    `.s{animation:s ${total.toFixed(1)}s step-end infinite;transform:translateY(${-scrolls.at(-1).above * CELL.height}px)}` +
    `@keyframes s{${scroll}}${STYLES}${[...names].map(([key, name]) => `@keyframes ${name}{${key}}.${name}{animation-name:${name}}`).join('')}`;
  const outer = [width + 2 * MARGIN.side, height + MARGIN.top + MARGIN.bottom];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${outer.join(' ')}" width="${outer[0]}" height="${outer[1]}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="${CELL.font}" fill="#e6edf3">
<style>${css}</style>
<rect x=".5" y=".5" width="${outer[0] - 1}" height="${outer[1] - 1}" rx="9" fill="#0d1117" stroke="#444c56"/>
<g fill="#444c56"><circle cx="20" cy="19" r="5.5"/><circle cx="39" cy="19" r="5.5"/><circle cx="58" cy="19" r="5.5"/></g>
<text x="${outer[0] / 2}" y="23.5" text-anchor="middle" class="d">${escaped(title)}</text>
<svg x="${MARGIN.side}" y="${MARGIN.top}" width="${width}" height="${height}"><g class="s">
${texts.join('\n')}
</g></svg>
</svg>
`;
}

function textOf({ row, parts }, name, isReplaced) {
  const y = (row + 0.75) * CELL.height;
  const spans = parts.map(({ column, style, text }) => {
    const length = /^[─┌┐└┘]{2,}$/.test(text) ? ` textLength="${text.length * CELL.width}"` : '';
    const classes = style === '' ? '' : ` class="${[...style].join(' ')}"`;
    return `<tspan x="${column * CELL.width}"${classes}${length}>${escaped(text)}</tspan>`;
  });
  return `<text y="${y}" class="${name}${isReplaced ? ' h' : ''}">${spans.join('')}</text>`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
