/** Which service is used, and what it has: the connection and the folders that are watched for it. */
import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import { discover, type Connection } from '../../connection/index.ts'
import type { Settings } from '../../settings/index.ts'
import type { WatchFolders } from '../../watch/index.ts'
import type { Dialogs } from '../dialogs.ts'

export type ConnectionHandlerDeps = { readonly connection: Connection; readonly settings: Settings }

export const connectionHandlers = ({
  connection,
  settings,
}: ConnectionHandlerDeps): Handlers['connection'] => ({
  look: () => discover(),
  test: (candidate) => connection.testKey(candidate),
  useExternal: (choice) => connection.useExternal(choice),
  useBuiltIn: () => connection.useBuiltIn(),
  replaceKey: (choice) => connection.replaceKey(choice),
  forgetKey: () => connection.forgetKey(),
  retry: () => connection.retry(),
  acceptVersion(version) {
    const { acceptedVersions } = settings.view()
    settings.update({ acceptedVersions: [...new Set([...acceptedVersions, version])] })
  },
  refreshPresets: () => connection.refreshPresets(),
})

export type WatchHandlerDeps = {
  readonly watch: Pick<WatchFolders, 'list' | 'save' | 'remove' | 'answer'>
  readonly dialogs: Pick<Dialogs, 'askToOpen'>
  readonly picturesFolder: string
  readonly t: () => Translation
}

export const watchHandlers = ({
  watch,
  dialogs,
  picturesFolder,
  t,
}: WatchHandlerDeps): Handlers['watch'] => ({
  list: () => watch.list(),
  save: (change) => watch.save(change),
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
