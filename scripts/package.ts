/** `npm run package`: the packages of this system, for this processor. Who publishes them is in the environment: docs/packaging.md. */
import { build, Platform } from 'electron-builder'
import { resolve } from 'node:path'
import { configurationFor } from './packaging/configuration.ts'
import { canMakeLinuxPackages, publisherFrom } from './packaging/publisher.ts'
import { updateTrustFrom } from './packaging/signing.ts'

const projectDir = resolve(import.meta.dirname, '..')
const publisher = publisherFrom(process.env)
if (publisher.updateFeed === null)
  console.log('Without MEDIATRAY_UPDATE_FEED the app never looks for updates.')
const trust = updateTrustFrom(process.env, process.platform)
if (!trust.signed && publisher.updateFeed !== null)
  console.log('What is packed is not signed, so it never updates itself.')
const isAppImageAlone = process.platform === 'linux' && !canMakeLinuxPackages(publisher)
if (isAppImageAlone)
  console.log(
    'deb and rpm name a web page and somebody to write to: MEDIATRAY_HOME_PAGE and MEDIATRAY_CONTACT.',
  )
await build({
  projectDir,
  publish: 'never',
  config: configurationFor(projectDir, publisher, trust),
  ...(isAppImageAlone ? { targets: Platform.LINUX.createTarget(['AppImage']) } : {}),
})
