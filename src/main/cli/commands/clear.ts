import type { Verb } from '../context.ts'
import { ask } from './ask.ts'

export const clear: Verb = (context) =>
  ask(
    context,
    (api) => api.clearJobs({ signal: context.surroundings.interrupted }),
    ({ cleared }) => [{ event: 'cleared', cleared }],
  )
