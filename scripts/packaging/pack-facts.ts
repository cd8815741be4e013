/** What the tools that make the Linux packages would have been given. */
import * as z from 'zod'
import type { Publisher } from './publisher.ts'

/** Of the reserved domain: nobody is there. */
export const EXAMPLE: Publisher = {
  homePage: 'https://mediatray.example/',
  updateFeed: 'https://mediatray.example/updates',
  contact: 'The publisher <packages@mediatray.example>',
}

export const PackFacts = z.object({
  /** deb and rpm, in this order or the other. */
  packages: z.array(z.object({ fpmArguments: z.array(z.string()), entry: z.string() })),
  appImageEntry: z.string(),
})
export type PackFacts = z.infer<typeof PackFacts>
