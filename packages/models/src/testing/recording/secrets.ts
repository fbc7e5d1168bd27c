/** The first byte, and the byte after the last. */
export type ByteRange = readonly [start: number, end: number];

/** Least number of base64 characters to search for. */
const MIN_BASE64 = 8;
/**
 * Patterns of secrets and account numbers: keys of OpenAI, Anthropic and Google, bearer tokens, organisations and projects of OpenAI,
 * projects of Google, and fields of tokens and secrets in JSON.
 */
const PATTERNS: readonly RegExp[] = [
  /(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{20,}/g,
  /AIza[A-Za-z0-9_-]{30,}/g,
  /(?<=\bBearer )[A-Za-z0-9._~+/-]{16,}=*/g,
  /(?<![A-Za-z0-9])(?:org-|proj_)[A-Za-z0-9]{16,}/g,
  /(?<=\bprojects\/)\d{5,}/g,
  /(?<="(?:access_token|refresh_token|id_token|client_secret|api_?[kK]ey|[aA]uthorization(?:_token)?|[xX]-[aA]pi-[kK]ey)"\s{0,4}:\s{0,4}")(?!REDACTED")[^"\\]+/g,
];

/** Secret values, and their positions in bytes. */
export class Secrets {
  readonly #values: readonly string[];
  readonly #writings: readonly Buffer[];

  constructor(values: Iterable<string>) {
    this.#values = [...new Set(values)];
    const writings = new Set(this.#values.flatMap(writingsOf));
    this.#writings = [...writings].filter((text) => text !== '').map((text) => Buffer.from(text));
  }

  /**
   * Ranges of secrets in bytes, in order and without overlaps: the values in every usual encoding, and everything that matches a pattern.
   */
  rangesIn(bytes: Buffer): readonly ByteRange[] {
    return merged([...this.#valuesIn(bytes), ...lookalikesIn(bytes)]);
  }

  /** Ranges of the values alone. */
  valueRangesIn(bytes: Buffer): readonly ByteRange[] {
    return merged(this.#valuesIn(bytes));
  }

  /** These secrets, `values`, and everything in `bytes` that matches a pattern. */
  with(values: readonly string[], bytes: Buffer): Secrets {
    const alike = lookalikesIn(bytes).map(([start, end]) => bytes.toString('utf8', start, end));
    return new Secrets([...this.#values, ...values, ...alike]);
  }

  #valuesIn(bytes: Buffer): readonly ByteRange[] {
    const found: ByteRange[] = [];
    for (const writing of this.#writings) {
      for (let at = bytes.indexOf(writing); at >= 0; at = bytes.indexOf(writing, at + 1)) {
        found.push([at, at + writing.length]);
      }
    }
    return found;
  }
}

function lookalikesIn(bytes: Buffer): readonly ByteRange[] {
  const text = bytes.toString('latin1'); // a character a byte
  return PATTERNS.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ 0: match, index }): ByteRange => [index, index + match.length]),
  );
}

/** A secret as encoded in texts, addresses, JSON, JSON inside JSON, and base64 with anything around it. */
function writingsOf(value: string): readonly string[] {
  const wellFormed = value.toWellFormed();
  const address = encodeURIComponent(wellFormed);
  const json = jsonWritings(wellFormed);
  return [
    wellFormed,
    address,
    address.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    address.replaceAll('%20', '+'),
    new URLSearchParams({ '': wellFormed }).toString().slice(1),
    ...json,
    ...json.flatMap(jsonWritings),
    ...base64Writings(Buffer.from(wellFormed)),
  ];
}

/** As JSON.stringify writes it, with escaped slashes, and with everything escaped that is not ASCII. */
function jsonWritings(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const ascii = json.replace(/[^ -~]|[<>&']/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const upper = ascii.replace(/\\u[0-9a-f]{4}/g, (code) => `\\u${code.slice(2).toUpperCase()}`);
  return [json, json.replaceAll('/', '\\/'), ascii, upper];
}

/** The characters that depend on the value alone, for each of its three possible alignments. */
function base64Writings(value: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), value]).toString('base64');
    const [start, end] = [Math.ceil((before * 8) / 6), Math.floor(((before + value.length) * 8) / 6)];
    const own = encoded.slice(start, end);
    return own.length < MIN_BASE64 ? [] : [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function merged(ranges: readonly ByteRange[]): readonly ByteRange[] {
  const result: [number, number][] = [];
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}
