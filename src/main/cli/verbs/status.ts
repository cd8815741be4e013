import { API_VERSION } from '../../../shared/api/limits.ts'
import type { Verb } from '../context.ts'
import { tell } from './ask.ts'

/** Whether it runs, whether it is the release we know, whether our key is good, and how its cloud drive is. */
export const status: Verb = async (context) => {
  const { api } = context.service
  const options = { signal: context.surroundings.interrupted }
  const health = await api.health(options)
  if (!health.ok) return tell(context, health, () => [])
  return tell(context, await api.driveStatus(options), (drive) => [
    {
      event: 'status',
      baseUrl: api.baseUrl.href,
      health: health.value,
      knownVersion: health.value.version === API_VERSION,
      drive,
    },
  ])
}
