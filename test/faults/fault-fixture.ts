/** What a fault test needs: a scripted service, a folder, and the app's durable part, which the test starts. */
import { afterEach, beforeEach } from 'vitest'
import { newFolder, removeFolder, startCompanion, until, type Companion } from './companion.ts'
import { startScriptedService, type ScriptedService } from './scripted-service.ts'

type Fixture = {
  /** A test that restarts it at the same port replaces it here. */
  service: ScriptedService
  /** The one started last. */
  companion: Companion
  folder: string
  /** Called for each request before it is handled. */
  onRequest: (route: string) => void
}

/** Creates a service and a folder for each test of the file, and removes them afterwards. */
export function faultFixture(options: { readonly slots?: boolean } = {}) {
  const at = {} as Fixture
  let ids = 0
  const newId = () => `r${(ids += 1)}`
  beforeEach(async () => {
    ids = 0
    at.folder = newFolder()
    at.onRequest = () => undefined
    at.service = await startScriptedService({ ...options, onRequest: (route) => at.onRequest(route) })
  })
  afterEach(async () => {
    await at.companion.stop()
    await at.service.close()
    removeFolder(at.folder)
  })
  return Object.assign(at, {
    /** @param seesFiles false: files have to be uploaded to the service */
    start(seesFiles = true) {
      const { folder, service } = at
      at.companion = startCompanion({ baseUrl: service.baseUrl, folder, seesFiles, newId })
    },
    settled: () => until('everything is idle', () => at.companion.isIdle()),
    stateOf: (id: string) => at.companion.sender.entries().find((entry) => entry.id === id)?.state,
    /** All jobs that the service has ever created from this file. */
    jobsFrom: (name: string) =>
      at.service.created.filter(({ files }) => files.some((file) => file.endsWith(`/${name}`))),
  })
}
