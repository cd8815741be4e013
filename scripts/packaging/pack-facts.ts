/** What the tools that make the Linux packages would have been given. */
import * as z from 'zod'

export const PackFacts = z.object({
  /** deb and rpm, in this order or the other. */
  packages: z.array(z.object({ fpmArguments: z.array(z.string()), entry: z.string() })),
  appImageEntry: z.string(),
})
export type PackFacts = z.infer<typeof PackFacts>
