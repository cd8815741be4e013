/** Presets of the built-in service that it passes over, since they can't be understood. */
import { messageOf } from '../../node/errors.ts'
import type { PresetFiles } from '../presets/presets.ts'
import type { ConnectionView } from '../../shared/model/connection.ts'
import type { CoreEvents, Events, Log } from './events.ts'
import type { StateProjection } from './project-state.ts'

export type PresetWatching = {
  readonly connection: { view(): Pick<ConnectionView, 'kind'> }
  readonly events: Pick<Events<CoreEvents>, 'on'>
  readonly notices: Pick<StateProjection, 'sayDamagedPresets'>
}

/** Says them now, and again when the service has read its presets anew. */
export function sayDamagedPresets(core: PresetWatching, presets: Pick<PresetFiles, 'list'>, log: Log): void {
  const refresh = async (): Promise<void> => {
    const documents = core.connection.view().kind === 'builtIn' ? await presets.list() : []
    const damaged = documents.filter(({ problems }) => problems.length > 0)
    core.notices.sayDamagedPresets(damaged.map(({ name }) => name))
  }
  const refreshSoon = () =>
    void refresh().catch((error: unknown) => log('presets not looked at', { error: messageOf(error) }))
  core.events.on('connectionChanged', refreshSoon)
  refreshSoon()
}
