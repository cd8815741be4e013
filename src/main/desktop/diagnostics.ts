/** The report of this app on this computer, with everything redacted that is known here to be private. */
import type { App } from 'electron'
import { hostname, release, userInfo } from 'node:os'
import { basename } from 'node:path'
import type { History } from '../history/index.ts'
import type { Settings } from '../settings/settings.ts'
import type { StateStore } from '../state/state.ts'
import { createDiagnostics, type Diagnostics } from '../diagnostics/diagnostics.ts'
import { readLogTail } from '../../node/log.ts'

const LOG_LINES = 200
const NEWEST_RECORDS = 200

export type DiagnosedModules = {
  readonly settings: Pick<Settings, 'view'>
  readonly state: StateStore
  readonly history: Pick<History, 'page'>
}

export const appDiagnostics = (
  app: App,
  { settings, state, history }: DiagnosedModules,
  logFolder: string,
  secrets: () => readonly string[],
): Diagnostics =>
  createDiagnostics({
    versions: () => ({
      mediatray: app.getVersion(),
      electron: process.versions['electron'] ?? '',
      node: process.versions.node,
      system: `${process.platform} ${release()} ${process.arch}`,
      locale: app.getLocale(),
    }),
    settings: () => settings.view(),
    state: () => state.get(),
    logTail: () => readLogTail(logFolder, LOG_LINES),
    identities: () => ({
      secrets: secrets(),
      homeFolder: app.getPath('home'),
      userNames: [userInfo().username],
      hostNames: [hostname()],
      fileNames: knownNames(history),
    }),
    clock: Date.now,
  })

function knownNames(history: Pick<History, 'page'>): readonly string[] {
  const { records } = history.page({}, { offset: 0, limit: NEWEST_RECORDS })
  return records.flatMap(({ name, firstPath }) => [
    name,
    ...(firstPath === null ? [] : [basename(firstPath)]),
  ])
}
