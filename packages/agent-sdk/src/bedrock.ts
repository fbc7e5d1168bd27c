export * from '@x/models/bedrock';
