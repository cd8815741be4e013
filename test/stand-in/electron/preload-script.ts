/** The texts that run in every document of a window before its own scripts do. */
import { readFileSync } from 'node:fs'
import { createBridgeEnd } from '../page/bridge-end.ts'
import { createCodec } from '../page/codec.ts'
import { startPageWorld } from '../page/page-world.ts'
import { startPreloadWorld } from '../page/preload-world.ts'

export const PRELOAD_WORLD = 'preload'
export const BINDING = 'standInTell'

export type WindowScripts = { readonly pageWorld: string; readonly preloadWorld: string }

/** @param secret known to the two worlds only while they find each other, before any script of the page */
export function windowScripts(options: {
  readonly secret: string
  readonly preload: string | undefined
  readonly platform: string
}): WindowScripts {
  const secret = JSON.stringify(options.secret)
  const source = options.preload === undefined ? '' : readFileSync(options.preload, 'utf8')
  const versions = { electron: process.versions['electron'] ?? '', node: process.versions.node }
  const described = JSON.stringify({ platform: options.platform, versions })
  return {
    pageWorld: `(${startPageWorld})(${secret}, ${createBridgeEnd})`,
    preloadWorld: `(${startPreloadWorld})({
      secret: ${secret}, tellApp: globalThis.${BINDING}, codec: (${createCodec})(), bridgeEnd: ${createBridgeEnd},
      process: ${described},
    }, function (require, module, exports, process) {\n${source}\n})`,
  }
}
