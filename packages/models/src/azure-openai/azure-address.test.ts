import { describe, expect, it } from 'vitest';
import { azureAddress } from './azure-address.ts';

const HOST = 'https://x.openai.azure.com';

describe('azureAddress', () => {
  it.each([
    HOST,
    `${HOST}/`,
    `${HOST}//`,
    `${HOST}/openai`,
    `${HOST}/openai/`,
    `${HOST}/openai/v1`,
    `${HOST}/openai/v1/`,
    `${HOST}/openai/v1/chat/completions`,
    `${HOST}/openai/deployments/gpt-4o`,
    `${HOST}/openai/deployments/gpt-4o/chat/completions`,
    `${HOST}/openai/deployments/openai/chat/completions`,
    `${HOST}/openai/deployments`,
  ])('finds the resource in %s', (url) => {
    expect(azureAddress(url)).toEqual({ resource: HOST });
  });

  it.each([
    ['https://gateway.example/azure/openai/v1', 'https://gateway.example/azure'],
    ['https://gateway.example/azure', 'https://gateway.example/azure'],
    ['https://gateway.example/openai/team-a/openai/deployments/m', 'https://gateway.example/openai/team-a'],
    ['https://x.services.ai.azure.com/api/projects/p/openai/v1/', 'https://x.services.ai.azure.com/api/projects/p'],
    ['http://127.0.0.1:4010/deployments/m', 'http://127.0.0.1:4010'],
  ])('keeps the path of a gateway: %s', (url, resource) => {
    expect(azureAddress(url).resource).toBe(resource);
  });

  it('takes the version that was copied with the address, unless one is given', () => {
    const target = `${HOST}/openai/deployments/m/chat/completions?api-version=2024-10-21`;

    expect(azureAddress(target)).toEqual({ resource: HOST, version: '2024-10-21' });
    expect(azureAddress(target, '2025-01-01-preview').version).toBe('2025-01-01-preview');
  });

  it.each(['v1', 'preview', 'latest'])('knows that %s is no version of deployments', (version) => {
    expect(azureAddress(HOST, version)).toEqual({ resource: HOST, surface: version });
  });
});
