/**
 * `npm run package`: builds the packages for this system and processor. Environment variables name the publisher (see
 * docs/packaging.md).
 */
import { build, Platform } from 'electron-builder'
import { resolve } from 'node:path'
import { configurationFor } from './packaging/configuration.ts'
import { canMakeLinuxPackages, publisherFrom } from './packaging/publisher.ts'
import { updateTrustFrom } from './packaging/signing.ts'

const projectDir = resolve(import.meta.dirname, '..')
const publisher = publisherFrom(process.env)
if (publisher.updateFeed === null)
  console.log('MEDIATRAY_UPDATE_FEED isn’t set: the app will never look for updates.')
const trust = updateTrustFrom(process.env, process.platform)
if (!trust.signed && publisher.updateFeed !== null)
  console.log('This build isn’t signed, so it will never update itself.')
const isAppImageAlone = process.platform === 'linux' && !canMakeLinuxPackages(publisher)
if (isAppImageAlone)
  console.log(
    'Building the AppImage only: deb and rpm need a web page and a contact. Set MEDIATRAY_HOME_PAGE and MEDIATRAY_CONTACT.',
  )
await build({
  projectDir,
  publish: 'never',
  config: configurationFor(projectDir, publisher, trust),
  ...(isAppImageAlone ? { targets: Platform.LINUX.createTarget(['AppImage']) } : {}),
})
