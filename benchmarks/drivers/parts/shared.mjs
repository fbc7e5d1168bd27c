/** What is stateless is made once per model and shared by all sessions of the process, as an application would do it. */
export function oncePerModel(create) {
  const made = new Map();
  return (options) => {
    const key = `${options.baseURL} ${options.model}`;
    let value = made.get(key);
    if (!value) {
      value = create(options);
      made.set(key, value);
    }
    return value;
  };
}

export const SYSTEM_PROMPT = 'You are a bench agent.';
