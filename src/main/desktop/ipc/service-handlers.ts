/** Handles calls about the connection and about watched folders. */
import type { Handlers } from '../../../shared/ipc/contract.ts'
import { discover } from '../../connection/index.ts'
import { outputsIn } from '../../../shared/model/folder-rules.ts'
import { parseBaseUrl } from '../../service-api/index.ts'
import type { Page } from './page.ts'

const NOT_CONFIRMED = { ok: false, why: 'notConfirmed' } as const

export function connectionHandlers(
  page: Pick<Page, 'connection' | 'lines' | 'settings' | 'mayReach'>,
): Pick<Handlers, 'connection' | 'services'> {
  const { connection, lines, settings, mayReach } = page
  function rename({ service, name }: { readonly service: string; readonly name: string }): void {
    const { [service]: _before, ...others } = settings.view().serviceNames
    settings.update({ serviceNames: name === '' ? others : { ...others, [service]: name } })
  }

  const connectionCalls: Handlers['connection'] = {
    discover: () => discover(settings.view().baseUrl),
    test: async (candidate) =>
      (await mayReach(candidate.baseUrl)) ? connection.testKey(candidate) : NOT_CONFIRMED,
    async useExternal(choice) {
      if (!(await mayReach(choice.baseUrl))) return NOT_CONFIRMED
      const parsed = parseBaseUrl(choice.baseUrl)
      const service = parsed.ok ? parsed.value.href : ''
      if (!settings.view().otherServices.some((one) => one.service === service))
        return connection.useExternal(choice)
      const tested = await lines.add(choice)
      if (tested.ok) await lines.makeMain(service)
      return tested
    },
    useBuiltIn: () => lines.useBuiltIn(),
    replaceKey: (choice) => connection.replaceKey(choice),
    forgetKey: () => connection.forgetKey(),
    retry: () => connection.retry(),
    acceptVersion(version) {
      const { acceptedVersions } = settings.view()
      settings.update({ acceptedVersions: [...new Set([...acceptedVersions, version])] })
    },
    refreshPresets: () => connection.refreshPresets(),
  }
  return {
    connection: connectionCalls,
    services: {
      async add({ name, ...choice }) {
        if (!(await mayReach(choice.baseUrl))) return NOT_CONFIRMED
        const tested = await lines.add(choice)
        const parsed = parseBaseUrl(choice.baseUrl)
        if (tested.ok && parsed.ok) rename({ service: parsed.value.href, name })
        return tested
      },
      addBuiltIn: () => lines.addBuiltIn(),
      remove: (service) => lines.remove(service),
      rename,
      setSeesFiles({ service, seesFiles }) {
        const { otherServices } = settings.view()
        settings.update({
          otherServices: otherServices.map((one) => (one.service === service ? { ...one, seesFiles } : one)),
        })
      },
      makeMain: (service) => lines.makeMain(service),
      check: (service) => lines.to(service)?.connection.retry(),
    },
  }
}

export const watchHandlers = (page: Page): Handlers['watch'] => {
  const { watch, dialogs, folders, programs, picturesFolder, knownPaths, t } = page
  return {
    list: () => watch.list(),
    save(change) {
      folders.requireFolder(change.folder.path)
      folders.requireOutput(change.folder.output)
      programs.requireHooks(change.folder.afterJob)
      return watch.save(change)
    },
    saveRules(change) {
      const outputs = [change.rest?.output, ...outputsIn(change.rules)]
      for (const output of outputs) if (output !== undefined) folders.requireOutput(output)
      return watch.saveRules(change)
    },
    async dryRun(id) {
      const dryRun = await watch.dryRuns.run(id).catch(() => undefined)
      for (const { listed } of dryRun?.rules ?? []) for (const { path } of listed) knownPaths.learnInput(path)
      return dryRun ?? null
    },
    stopDryRun: (id) => watch.dryRuns.stop(id),
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
  }
}
