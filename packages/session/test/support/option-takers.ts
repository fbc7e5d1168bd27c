import type { ModelOptions } from '@x/core';
import { ValidationError } from '@x/core';
import { type Script, type ScriptedModel, scriptedModel } from '@x/core/testing';
import type { CustomProvider } from '../../src/index.ts';

/** A provider whose models take all options but those that `refused` lists by the model's name; and the models it has made. */
export function optionTakers(script: Script, refused: Readonly<Record<string, readonly string[]>> = {}) {
  const models: ScriptedModel[] = [];
  const createModel = (name: string) => {
    const checkOptions = (options: ModelOptions) => {
      const found = Object.keys(options).find((option) => refused[name]?.includes(option));
      if (found) throw new ValidationError(`${found} is not taken by ${name}`, `modelOptions.${found}`);
    };
    const model = scriptedModel(script, { name, checkOptions });
    models.push(model);
    return model;
  };
  const provider: CustomProvider = { type: 'custom', createModel };
  /** Of every request so far, model by model. */
  const asked = () => models.flatMap(({ requests }) => requests.map(({ options }) => options));
  return { provider, models, asked };
}
