import type { Verb } from '../context.ts'
import { tell } from './ask.ts'

export const clear: Verb = async (context) =>
  tell(
    context,
    await context.service.api.clearJobs({ signal: context.surroundings.interrupted }),
    ({ cleared }) => [{ event: 'cleared', cleared }],
  )
