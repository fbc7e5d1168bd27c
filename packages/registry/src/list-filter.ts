import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import type { ListFilter } from './metadata.ts';
import type { ToolRecord } from './tool-info.ts';

const FILTER: OptionRules<ListFilter> = { category: is.text, tag: is.text, tags: is.texts, enabled: is.flag };

/** Returns a test that is true for tools that match every given field. @throws ValidationError for an invalid filter */
export function fitting(filter: ListFilter): (record: ToolRecord) => boolean {
  checkOptions('List filter', filter, FILTER);
  const { category, tag, tags = [], enabled } = filter;
  const wanted = tag === undefined ? tags : [...tags, tag];
  return (record) =>
    (category === undefined || record.category === category) &&
    (enabled === undefined || record.enabled === enabled) &&
    wanted.every((one) => record.tags?.includes(one));
}
