import { API_VERSION } from '../../../shared/api/limits.ts'
import type { Verb } from '../context.ts'
import { ask } from './ask.ts'

/** Whether it runs, whether it is the release we know, whether our key is good, and how its cloud drive is. */
export const status: Verb = (context) =>
  ask(
    context,
    async (api) => {
      const options = { signal: context.surroundings.interrupted }
      const health = await api.health(options)
      if (!health.ok) return health
      const drive = await api.driveStatus(options)
      if (!drive.ok) return drive
      return {
        ok: true,
        value: { baseUrl: api.baseUrl.href, health: health.value, drive: drive.value },
      }
    },
    (found) => [{ event: 'status', ...found, knownVersion: found.health.version === API_VERSION }],
  )
