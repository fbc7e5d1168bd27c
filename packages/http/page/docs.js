import { json } from './api.js';
import { el, said } from './dom.js';
import { refsIn, shapeOf } from './shape.js';

const nav = document.querySelector('nav');
const main = document.querySelector('main');

try {
  show(await json('openapi.json'));
} catch (error) {
  main.append(el('p', { class: 'problem', role: 'alert' }, error.message));
}

function show({ info, tags, paths, components }) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
  document.title = info.title;
  main.append(el('h1', {}, said(info.title), ' ', el('small', {}, info.version)), words(info.description, 'p'));
  for (const { name, description } of tags) {
    const own = operations.filter((operation) => operation.tags.includes(name));
    nav.append(el('h2', {}, said(name)), ...own.map(linkTo));
    main.append(el('h2', { id: `tag-${name}` }, said(name)), words(description, 'p'), ...own.map(operationPart));
  }
  const schemas = Object.entries(components.schemas);
  nav.append(el('h2', {}, 'schemas'), ...schemas.map(([name]) => el('a', { href: `#${name}` }, said(name))));
  main.append(el('h2', {}, 'Schemas'), ...schemas.map(schemaPart));
  if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

/** Words of the document, whose names stand in backticks. */
function words(text = '', tag = 'span') {
  const parts = text.split('`').map((part, index) => (index % 2 === 0 ? part : said(part, 'code')));
  return el(tag, {}, parts);
}

function linkTo({ operationId, method, path }) {
  return el('a', { href: `#${operationId}` }, el('span', { class: `method ${method}` }, method), said(path));
}

function operationPart(operation) {
  const { operationId, method, path, summary, parameters = [], requestBody, responses } = operation;
  const answers = Object.entries(responses);
  return el(
    'section',
    { id: operationId, 'aria-label': operationId },
    el('h3', {}, el('span', { class: `method ${method}` }, method), said(path, 'code')),
    words(summary, 'p'),
    parameters.length > 0 ? el('h4', {}, 'Parameters') : undefined,
    parameters.length > 0 ? table(parameters.map(parameterCells)) : undefined,
    requestBody ? el('h4', {}, 'Body') : undefined,
    requestBody ? schemaText(Object.values(requestBody.content)[0].schema) : undefined,
    el('h4', {}, 'Answers'),
    table(answers.map(answerCells)),
    el('h4', {}, 'With curl'),
    said(curlOf(operation), 'pre', { class: 'text' }),
  );
}

function schemaPart([name, schema]) {
  return el('section', { id: name, 'aria-label': name }, said(name, 'h3'), schemaText(schema));
}

function parameterCells({ name, in: place, required, description, schema }) {
  return [
    said(name, 'code'),
    required ? place : `${place}, optional`,
    said(shapeOf(schema), 'code'),
    words(description),
  ];
}

function answerCells([status, { description, content = {} }]) {
  const [[type, { schema }] = ['', {}]] = Object.entries(content);
  const isNamed = schema?.$ref !== undefined;
  return [
    el('b', { class: `status s${status[0]}` }, status),
    words(description),
    el('span', {}, isNamed ? linksOf(schema) : said(type === 'application/json' ? 'JSON' : type)),
  ];
}

function table(rows) {
  const cells = rows.map((row) =>
    el(
      'tr',
      {},
      row.map((cell) => el('td', {}, cell)),
    ),
  );
  return el('div', { class: 'wide' }, el('table', {}, el('tbody', {}, cells)));
}

function schemaText(schema) {
  return el('div', {}, said(shapeOf(schema), 'pre', { class: 'text' }), linksOf(schema));
}

function linksOf(schema) {
  const names = [...new Set(refsIn(schema))];
  return names.length === 0
    ? ''
    : el(
        'p',
        { class: 'refs' },
        names.map((name) => el('a', { href: `#${name}` }, said(name))),
      );
}

/** A line for a shell; what is to be filled in is in capitals. */
function curlOf({ path, method, security, parameters = [], requestBody }) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => name.toUpperCase());
  const needed = parameters.filter(({ in: place, required }) => place === 'query' && required);
  const query = needed.map(({ name }) => `${name}=${name.toUpperCase()}`).join('&');
  const isStream = path.endsWith('/events');
  return [
    `curl${isStream ? ' -N' : ''}${method === 'get' ? '' : ` -X ${method.toUpperCase()}`}`,
    ...(security.length > 0 ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(requestBody ? ["-H 'Content-Type: application/json'", "-d '{}'"] : []),
    `'${new URL(filled.slice(1), new URL('.', document.baseURI))}${query ? `?${query}` : ''}'`,
  ].join(' ');
}
