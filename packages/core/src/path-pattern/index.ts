export { expandBraces } from './expand-braces.ts';
export { type IgnoreRules, ignoreRules, noRules } from './ignore-rules.ts';
export { type PathPattern, pathPattern } from './path-pattern.ts';
export { isLiteral, type SegmentPattern, segmentPattern } from './segment-pattern.ts';
