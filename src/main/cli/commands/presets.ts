import type { Verb } from '../context.ts'
import { ask } from './ask.ts'

export const presets: Verb = (context) =>
  ask(
    context,
    (api) => api.presets({ signal: context.surroundings.interrupted }),
    (presets) => [{ event: 'presets', presets }],
  )
