import { checkKeys, ValidationError } from '@x/core';
import type { ListFilter } from './metadata.ts';
import type { ToolRecord } from './tool-info.ts';
import { checkTextLists, checkTexts } from './validate-metadata.ts';

/** Whether a tool fits every given field. @throws ValidationError for a filter that could not be honoured */
export function fitting(filter: ListFilter): (record: ToolRecord) => boolean {
  checkKeys('List filter', filter, ['category', 'tag', 'tags', 'enabled']);
  const { category, tag, tags = [], enabled } = filter;
  checkTexts({ category, tag });
  checkTextLists({ tags });
  if (enabled !== undefined && typeof enabled !== 'boolean') {
    throw new ValidationError('enabled must be true or false', 'enabled');
  }
  const wanted = tag === undefined ? tags : [...tags, tag];
  return (record) =>
    (category === undefined || record.category === category) &&
    (enabled === undefined || record.enabled === enabled) &&
    wanted.every((one) => record.tags?.includes(one));
}
