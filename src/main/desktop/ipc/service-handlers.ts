import type { Handlers } from '../../../shared/ipc/contract.ts'
import { discover } from '../../connection/index.ts'
import type { HandlerDeps } from './handler-deps.ts'

export const connectionHandlers = ({ core }: HandlerDeps): Handlers['connection'] => ({
  look: () => discover(),
  test: (candidate) => core.connection.testKey(candidate),
  useExternal: (choice) => core.connection.useExternal(choice),
  useBuiltIn: () => core.connection.useBuiltIn(),
  replaceKey: (choice) => core.connection.replaceKey(choice),
  forgetKey: () => core.connection.forgetKey(),
  retry: () => core.connection.retry(),
  acceptVersion(version) {
    const { acceptedVersions } = core.settings.view()
    core.settings.update({ acceptedVersions: [...new Set([...acceptedVersions, version])] })
  },
  refreshPresets: () => core.connection.refreshPresets(),
})
