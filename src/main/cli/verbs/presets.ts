import type { Verb } from '../context.ts'
import { tell } from './ask.ts'

export const presets: Verb = async (context) =>
  tell(
    context,
    await context.service.api.presets({ signal: context.surroundings.interrupted }),
    (presets) => [{ event: 'presets', presets }],
  )
