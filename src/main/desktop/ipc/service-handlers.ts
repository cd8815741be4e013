/** Which service is used, and what it has: the connection and the folders that are watched for it. */
import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import { discover, type Connection } from '../../connection/index.ts'
import { isLoopback, parseBaseUrl } from '../../service-api/index.ts'
import type { Settings } from '../../settings/settings.ts'
import type { WatchFolders } from '../../watch/index.ts'
import type { Dialogs } from '../dialogs.ts'
import type { ChosenFolders } from './chosen-folders.ts'

export type ConnectionHandlerDeps = {
  readonly connection: Connection
  readonly settings: Settings
  readonly dialogs: Pick<Dialogs, 'ask'>
  readonly t: () => Translation
}

const REACH = 1
const NOT_CONFIRMED = { ok: false, why: 'notConfirmed' } as const

export const connectionHandlers = ({
  connection,
  settings,
  dialogs,
  t,
}: ConnectionHandlerDeps): Handlers['connection'] => {
  const confirmed = new Set<string>()

  /** The page may not reach other computers by itself: a person reads the name in a dialog that the page can't draw. */
  async function mayReach(baseUrl: string): Promise<boolean> {
    const parsed = parseBaseUrl(baseUrl)
    // What is no address is said by whoever is asked next.
    if (!parsed.ok) return true
    const { hostname, host } = new URL(parsed.value.href)
    if (isLoopback(hostname) || confirmed.has(host)) return true
    const button = await dialogs.ask({
      type: 'question',
      message: t().dialog.reachHost({ host }),
      detail: t().dialog.reachHostDetail,
      buttons: [t().dialog.cancel, t().dialog.reach],
      defaultId: 0,
      cancelId: 0,
    })
    if (button === REACH) confirmed.add(host)
    return button === REACH
  }

  return {
    discover: () => discover(),
    test: async (candidate) =>
      (await mayReach(candidate.baseUrl)) ? connection.testKey(candidate) : NOT_CONFIRMED,
    useExternal: async (choice) =>
      (await mayReach(choice.baseUrl)) ? connection.useExternal(choice) : NOT_CONFIRMED,
    useBuiltIn: () => connection.useBuiltIn(),
    replaceKey: (choice) => connection.replaceKey(choice),
    forgetKey: () => connection.forgetKey(),
    retry: () => connection.retry(),
    acceptVersion(version) {
      const { acceptedVersions } = settings.view()
      settings.update({ acceptedVersions: [...new Set([...acceptedVersions, version])] })
    },
    refreshPresets: () => connection.refreshPresets(),
  }
}

export type WatchHandlerDeps = {
  readonly watch: Pick<WatchFolders, 'list' | 'save' | 'remove' | 'answer'>
  readonly dialogs: Pick<Dialogs, 'askToOpen'>
  readonly folders: Pick<ChosenFolders, 'requireFolder' | 'requireOutput'>
  readonly picturesFolder: string
  readonly t: () => Translation
}

export const watchHandlers = ({
  watch,
  dialogs,
  folders,
  picturesFolder,
  t,
}: WatchHandlerDeps): Handlers['watch'] => ({
  list: () => watch.list(),
  save(change) {
    folders.requireFolder(change.folder.path)
    folders.requireOutput(change.folder.output)
    return watch.save(change)
  },
  remove: (id) => watch.remove(id),
  answer: (answer) => watch.answer(answer),
  async chooseFolder() {
    const [path] = await dialogs.askToOpen({
      title: t().dialog.chooseWatched,
      buttonLabel: t().dialog.choose,
      defaultPath: picturesFolder,
      properties: ['openDirectory', 'createDirectory', 'dontAddToRecent'],
    })
    return path ?? null
  },
})
