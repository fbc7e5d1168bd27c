/** The long names of general categories (Unicode, PropertyValueAliases), which ECMA-262 supports and RE2 does not, by the short ones. */
const CATEGORIES: Readonly<Record<string, string>> = {
  L: 'Letter',
  LC: 'Cased_Letter',
  Lu: 'Uppercase_Letter',
  Ll: 'Lowercase_Letter',
  Lt: 'Titlecase_Letter',
  Lm: 'Modifier_Letter',
  Lo: 'Other_Letter',
  M: 'Mark Combining_Mark',
  Mn: 'Nonspacing_Mark',
  Mc: 'Spacing_Mark',
  Me: 'Enclosing_Mark',
  N: 'Number',
  Nd: 'Decimal_Number digit',
  Nl: 'Letter_Number',
  No: 'Other_Number',
  P: 'Punctuation punct',
  Pc: 'Connector_Punctuation',
  Pd: 'Dash_Punctuation',
  Ps: 'Open_Punctuation',
  Pe: 'Close_Punctuation',
  Pi: 'Initial_Punctuation',
  Pf: 'Final_Punctuation',
  Po: 'Other_Punctuation',
  S: 'Symbol',
  Sm: 'Math_Symbol',
  Sc: 'Currency_Symbol',
  Sk: 'Modifier_Symbol',
  So: 'Other_Symbol',
  Z: 'Separator',
  Zs: 'Space_Separator',
  Zl: 'Line_Separator',
  Zp: 'Paragraph_Separator',
  C: 'Other',
  Cc: 'Control cntrl',
  Cf: 'Format',
  Cs: 'Surrogate',
  Co: 'Private_Use',
  Cn: 'Unassigned',
};
/** Properties that RE2 has no name for. */
const RANGES: Readonly<Record<string, string>> = {
  'p{ASCII': '\\x{0}-\\x{7f}',
  'P{ASCII': '\\x{80}-\\x{10ffff}',
  'p{Any': '\\x{0}-\\x{10ffff}',
};
const SHORT: ReadonlyMap<string, string> = new Map(
  Object.entries(CATEGORIES).flatMap(([short, long]) => long.split(' ').map((name) => [name, short] as const)),
);

/** Converts `\p{...}` or `\P{...}` of ECMA-262 to RE2. */
export function unicodeClass(token: string, inClass: boolean): string {
  const name = token.slice(3, -1).replace(/^(?:Script|sc|General_Category|gc)=/, '');
  const range = RANGES[`${token.slice(1, 3)}${name}`];
  if (range !== undefined) return inClass ? range : `[${range}]`;
  return `${token.slice(0, 2)}{${SHORT.get(name) ?? name}}`;
}
