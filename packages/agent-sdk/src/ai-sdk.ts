export * from '@x/models/ai-sdk';
