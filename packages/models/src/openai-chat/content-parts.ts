import { recordOf } from '../wire/untrusted.ts';

/** Text of one kind, from a list of parts. */
export interface TextPart {
  readonly type: 'text' | 'thinking';
  readonly text: string;
}

/**
 * The texts of content that is a list of parts, as from Mistral and Databricks; parts of other kinds, such as images and references, are
 * left out.
 */
export function textParts(content: unknown): readonly TextPart[] {
  return (Array.isArray(content) ? content : [content]).flatMap((part: unknown): readonly TextPart[] => {
    if (typeof part === 'string') return [{ type: 'text', text: part }];
    const fields = recordOf(part);
    const thinking = fields?.['thinking'] ?? fields?.['summary'];
    if (thinking !== undefined) return textParts(thinking).map(({ text }) => ({ type: 'thinking', text }));
    const text = fields?.['text'];
    return typeof text === 'string' ? [{ type: 'text', text }] : [];
  });
}
