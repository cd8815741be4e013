import type { Connection } from '../../../src/main/connection/index.ts'
import type { ConnectionView } from '../../../src/shared/model/connection.ts'
import type { ModelService } from './model-service.ts'

export const MODEL_VIEW: ConnectionView = {
  kind: 'external',
  baseUrl: 'http://model/api',
  address: 'model',
  state: { status: 'online', version: '1.0.81' },
  key: 'session',
  keychainTrouble: null,
  seesFiles: true,
  presets: null,
  drive: null,
}

const unused = () => Promise.reject(new Error('not part of the model'))

/** A connection that is always online. */
export function connectToModel(service: ModelService, isAlive: () => boolean): Connection {
  const api = service.api(isAlive)
  return {
    view: () => MODEL_VIEW,
    onChange: () => () => undefined,
    onBuiltInEnded: () => () => undefined,
    onBuiltInLeft: () => undefined,
    onBuiltInJobEnded: () => () => undefined,
    api: () => api,
    useExternal: unused,
    useKnown: () => undefined,
    useBuiltIn: () => undefined,
    replaceKey: unused,
    forgetKey: unused,
    testKey: unused,
    reload: () => undefined,
    retry: () => undefined,
    noteError: () => undefined,
    refreshPresets: () => Promise.resolve(),
    refreshDrive: () => Promise.resolve(),
    steerBuiltIn: () => undefined,
    close: () => Promise.resolve(),
  }
}
