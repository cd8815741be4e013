/** The services in use, for the tray and notifications. */
import type { AppState } from '../../shared/model/app-state.ts'
import { serviceIdOf, type ConnectionView } from '../../shared/model/connection.ts'
import { countWaiting, unfinishedJobs } from '../../shared/model/job-state.ts'
import { serviceNameOf } from '../../shared/i18n/names.ts'
import type { Translation } from '../../shared/i18n/i18n.ts'

export type ServiceInUse = {
  readonly id: string
  readonly isMain: boolean
  readonly view: ConnectionView
  readonly waiting: () => number
  /** Adds the service's name to text, unless it is the main service. */
  readonly named: (text: string) => string
}

/** Returns the main service first. */
export function servicesInUse(state: AppState, t: Translation): readonly ServiceInUse[] {
  const others = new Set(state.services.map(serviceIdOf))
  return [state.connection, ...state.services].map((view, index): ServiceInUse => {
    const [id, isMain] = [serviceIdOf(view), index === 0]
    return {
      id,
      isMain,
      view,
      waiting: () =>
        countWaiting(
          unfinishedJobs({
            ...state,
            outbox: state.outbox.filter(({ service = '' }) =>
              isMain ? !others.has(service) : service === id,
            ),
          }),
        ),
      named: (text) =>
        isMain ? text : t.connection.ofService({ name: serviceNameOf(id, state.settings, t), text }),
    }
  })
}
