/** The services that jobs can go to: their names, and which of them a job uses. */
import { connectionTo, serviceIdOf, type ConnectionView } from '../../shared/model/connection.ts'
import { serviceNameOf } from '../../shared/i18n/names.ts'
import type { App } from './app.ts'

type AtService = { readonly service?: string | undefined }

export const serviceName = (app: App, { service }: AtService): string =>
  serviceNameOf(service ?? serviceIdOf(app.state.connection.value), app.state.settings.value, app.t.value)

/** Returns the name of a job's service; undefined if only one service is in use. */
export const shownService = (app: App, job: AtService): string | undefined =>
  app.state.services.value.length === 0 ? undefined : serviceName(app, job)

export const connectionOf = (
  { state: { connection, services } }: App,
  { service }: AtService,
): ConnectionView => connectionTo({ connection: connection.value, services: services.value }, service)

/** Whether a job's service isn't the built-in one. */
export const isElsewhere = (app: App, job: AtService): boolean =>
  job.service !== 'builtIn' && connectionOf(app, job).kind === 'external'

/** Whether the built-in service is one of the services in use, even if it isn't the main one. */
export const usesBuiltIn = ({ state: { connection, services } }: App): boolean =>
  [connection.value, ...services.value].some(({ kind }) => kind === 'builtIn')

/** Selects the built-in service for the draft. If it isn't in use, makes it the main service. */
export function useBuiltInForDraft(app: App): void {
  const { connection, services } = app.state
  const isOther = services.value.some(({ kind }) => kind === 'builtIn')
  const service = isOther ? 'builtIn' : null
  const isThere = isOther || connection.value.kind === 'builtIn'
  void app.attempt(isThere ? app.bridge.draft.update({ service }) : app.bridge.connection.useBuiltIn())
}
