/** The input that the tools for building Linux packages would have received. */
import * as z from 'zod'
import type { UpdateTrust } from '../../src/main/updates/update-trust.ts'
import type { Publisher } from './publisher.ts'

/** A publisher with a reserved domain, which no one can own. */
export const EXAMPLE: Publisher = {
  homePage: 'https://mediatray.example/',
  updateFeed: 'https://mediatray.example/updates',
  contact: 'The publisher <packages@mediatray.example>',
}

/** The private half of this key was never kept. */
export const EXAMPLE_TRUST: UpdateTrust = {
  signed: true,
  key: 'MCowBQYDK2VwAyEATLgLSkI+vVdRFj5EVS6xZVXnZL8Z7hDWsSftEI846r0=',
}

export const PackFacts = z.object({
  /** The deb and rpm packages, in either order. */
  packages: z.array(z.object({ fpmArguments: z.array(z.string()), entry: z.string() })),
  appImageEntry: z.string(),
})
export type PackFacts = z.infer<typeof PackFacts>
