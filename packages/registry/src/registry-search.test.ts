import { ValidationError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { metadata, namesOf, ok, registryOf } from '../test/registries.ts';
import { ToolRegistry } from './tool-registry.ts';

describe('search', () => {
  const found = (registry: ToolRegistry, query: string) => namesOf(registry.search(query));

  it('R25: finds enabled tools only, nothing for a blank query', () => {
    const registry = registryOf('read-file', 'write-file', 'send-mail');
    registry.disable('write-file');

    expect(found(registry, 'file')).toEqual(['read-file']);
    expect(found(registry, '')).toEqual([]);
    expect(found(registry, ' \n')).toEqual([]);
    expect(() => registry.search(undefined as never)).toThrow(ValidationError);
  });

  it('R51: a word weighs most in the name, then description, tags, category', () => {
    const registry = new ToolRegistry();
    const word = { description: 'x', tags: ['x'], category: 'x' };
    registry.register(metadata('four', { ...word, category: 'needle' }), ok);
    registry.register(metadata('three', { ...word, tags: ['needle'] }), ok);
    registry.register(metadata('two', { ...word, description: 'needle' }), ok);
    registry.register(metadata('needle-one', { ...word }), ok);

    expect(found(registry, 'NEEDLE')).toEqual(['needle-one', 'two', 'three', 'four']);
  });

  it('R51: the tool whose name is the query comes first', () => {
    const registry = new ToolRegistry({ namePattern: /^\w+$/ });
    registry.register(metadata('mail_mail_mail', { description: 'mail mail mail mail', tags: ['mail'] }), ok);
    registry.register(metadata('Mail', { description: 'a long text about quite other things, and many of them' }), ok);

    expect(found(registry, ' mail ')).toEqual(['Mail', 'mail_mail_mail']);
  });

  it.each([
    ['検索', '全文検索エンジンを呼び出す'],
    ['天气', '查询指定城市的天气预报'],
    ['번역', '문서를 한국어로 번역합니다'],
    ['エンジン', '全文検索エンジンを呼び出す'],
    ['木', '大きな木の写真'],
  ])('R52: finds %s inside %s', (query, description) => {
    const registry = registryOf('other');
    registry.register(metadata('tool', { description }), ok);

    expect(found(registry, query)).toEqual(['tool']);
  });

  it('R53: equal scores keep the order of registration, also after an overwrite', () => {
    const registry = new ToolRegistry();
    for (const name of ['b', 'a', 'c']) registry.register(metadata(name, { description: 'same words' }), ok);

    expect(found(registry, 'same')).toEqual(['b', 'a', 'c']);
    registry.register(metadata('b', { description: 'same words' }), ok, { overwrite: true });

    expect(found(registry, 'same')).toEqual(['b', 'a', 'c']);
  });

  it('R54: every change shows in the next search', () => {
    const registry = registryOf('one');
    expect(found(registry, 'does')).toEqual(['one']);

    registry.register(metadata('two'), ok);
    expect(found(registry, 'does')).toEqual(['one', 'two']);
    registry.disable('one');
    expect(found(registry, 'does')).toEqual(['two']);
    registry.enable('one');
    registry.unregister('two');
    expect(found(registry, 'does')).toEqual(['one']);
    registry.register(metadata('one', { description: 'other' }), ok, { overwrite: true });
    expect(found(registry, 'does')).toEqual([]);
    expect(found(registry, 'other')).toEqual(['one']);
  });
});
