/** First bytes, as Latin letters; a dot stands for any one. The first that matches counts. */
const SIGNATURES: readonly (readonly [start: RegExp, mediaType: string])[] = [
  [/^\x89PNG\r\n[^]\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[^]{4}WEBP/, 'image/webp'],
  [/^[^]{4}ftyp(?:heic|heix|heim|heis)/, 'image/heic'],
  [/^[^]{4}ftyp(?:mif1|msf1)/, 'image/heif'],
  [/^[^]{4}ftypavi[fs]/, 'image/avif'],
  [/^(?:II\*\0|MM\0\*)/, 'image/tiff'],
  [/^%PDF-/, 'application/pdf'],
  [/^RIFF[^]{4}WAVE/, 'audio/wav'],
  [/^ID3[^ -\xff]/, 'audio/mpeg'],
  [/^\xff[\xe2\xe3\xf2\xf3\xfa\xfb]/, 'audio/mpeg'],
  [/^\xff[\xf0\xf1\xf8\xf9]/, 'audio/aac'],
  [/^fLaC/, 'audio/flac'],
  [/^OggS/, 'audio/ogg'],
  [/^FORM[^]{4}AIF[FC]/, 'audio/aiff'],
  [/^[^]{4}ftypM4A/, 'audio/mp4'],
];
/** Bytes that a signature needs. */
const LONGEST = 12;
const SIGNED: ReadonlySet<string> = new Set(SIGNATURES.map(([, mediaType]) => mediaType));

const OTHER_NAMES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'application/x-pdf': 'application/pdf',
  'audio/mp3': 'audio/mpeg',
  'audio/wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-aiff': 'audio/aiff',
  'audio/x-flac': 'audio/flac',
  'audio/x-aac': 'audio/aac',
  'audio/m4a': 'audio/mp4',
  'audio/x-m4a': 'audio/mp4',
};

const ENDINGS: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  aiff: 'audio/aiff',
};

/** A media type in lower case, under its usual name and without parameters. */
export function plainMediaType(stated: string): string {
  const bare = stated.split(';', 1)[0]!.trim().toLowerCase(); // split() gives one part at least
  return Object.hasOwn(OTHER_NAMES, bare) ? OTHER_NAMES[bare]! : bare;
}

/** The media type that the bytes say: by their signature, `text/plain` for UTF-8 without NUL, else undefined. */
export function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, LONGEST));
  return SIGNATURES.find(([signature]) => signature.test(start))?.[1] ?? (isText(bytes) ? 'text/plain' : undefined);
}

/** True when the bytes cannot be of the media type: they have the signature of another, lack that of theirs, or are no text. */
export function contradicts(mediaType: string, found: string | undefined, isTextType: boolean): boolean {
  if (found !== undefined && SIGNED.has(found)) return found !== mediaType;
  return SIGNED.has(mediaType) || (isTextType && found === undefined);
}

/** The media type of an address, by the ending of its path. */
export function mediaTypeOfUrl(url: string): string | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(new URL(url).pathname)?.[1]?.toLowerCase();
  return ending !== undefined && Object.hasOwn(ENDINGS, ending) ? ENDINGS[ending] : undefined;
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
