import { z } from 'zod';

/** What is made of a complaint. The model is shown the shape; refinements and transforms are ours. */
export const bugReport = z.object({
  title: z.string().max(60),
  severity: z.enum(['low', 'medium', 'high']),
  steps: z.array(z.string()).min(1).describe('What to do to see the fault.'),
  seenOn: z
    .string()
    .describe('A date, YYYY-MM-DD.')
    .transform((text) => new Date(`${text}T00:00:00Z`))
    .refine((date) => !Number.isNaN(date.getTime()), 'is no date'),
  workaround: z.string().optional(),
});
