import { type Model, ValidationError } from '@x/core';
import { checkJsonValue } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, checkValue, type OptionRules } from '@x/errors/option-rules';
import { applicationToken } from './application-token.ts';
import { vertexModel } from './vertex-model.ts';
import type { VertexOptions } from './vertex-options.ts';

/** A provider for sessions, of the kind `custom`. */
export interface VertexProvider {
  readonly type: 'custom';
  /** @throws ValidationError for a name that is none */
  createModel(name: string): Model;
}

const PLACE = is.rule(
  'letters, digits and hyphens',
  (value) => typeof value === 'string' && /^[a-z0-9][a-z0-9:.-]*$/.test(value),
);
const RULES: OptionRules<VertexOptions> = {
  project: PLACE,
  location: PLACE,
  accessToken: is.callback,
  baseUrl: is.rule('an http or https address', (value) => /^https?:$/.test(urlOf(value)?.protocol ?? '')),
  headers: is.secret(is.recordOf(is.text)),
  extraBody: is.checked((value, path) => {
    checkValue(path, value, is.secret(is.recordOf(is.anything)));
    checkJsonValue({ [path]: value }, 'the options of vertex');
  }),
  contextWindow: is.rule('a whole number from 1', (value) => Number.isSafeInteger(value) && Number(value) > 0),
};

/**
 * Makes a provider for sessions of the models on Google Cloud's Vertex AI: those of Anthropic (`claude-...`) and Gemini, by the name that
 * they have there. Nothing is loaded and nothing is sent before the first reply; it opens nothing that must be closed.
 * @throws ValidationError for an unknown or invalid option, and without a project
 */
export function vertex(options: VertexOptions = {}): VertexProvider {
  checkOptions('vertex options', options, RULES);
  const { project = process.env['GOOGLE_CLOUD_PROJECT'], location = process.env['GOOGLE_CLOUD_LOCATION'] } = options;
  if (!PLACE.fits(project)) {
    throw new ValidationError('vertex needs a project: set project, or the variable GOOGLE_CLOUD_PROJECT', 'project');
  }
  const place = { project: project as string, location: location ?? 'global' }; // safe: as was checked
  checkValue('location', place.location, PLACE);
  const { accessToken = applicationToken(place.project), ...plain } = options;
  const own = { ...structuredClone(plain), ...place, accessToken };
  return { type: 'custom', createModel: (name) => vertexModel(own, name) };
}

function urlOf(value: unknown): URL | undefined {
  return typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
}
