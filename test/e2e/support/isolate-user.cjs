/**
 * Loaded by the real runtime before the app (`electron -r`). On macOS and Windows, environment variables don't redirect every
 * user folder or system-wide registration; this file redirects or disables the rest.
 */
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs')
const path = require('node:path')
const { app, Notification } = require('electron')
const keytar = require('keytar')

const home = process.env.HOME
const FOLDERS = { home: '.', desktop: 'Desktop', documents: 'Documents', downloads: 'Downloads' }
const MEDIA_FOLDERS = { music: 'Music', pictures: 'Pictures', videos: 'Videos' }
for (const [name, folder] of Object.entries({ ...FOLDERS, ...MEDIA_FOLDERS })) {
  const own = path.join(home, folder)
  mkdirSync(own, { recursive: true })
  app.setPath(name, own)
}

// Registrations with the system belong to an installed app, so they are ignored.
app.setAsDefaultProtocolClient = () => true
app.setLoginItemSettings = () => undefined
if (process.platform === 'win32') {
  app.setUserTasks = () => true
  // The first notification would create a Start menu entry.
  Notification.isSupported = () => false
}

// On Linux, the specs have a session with its own keychain.
if (process.platform !== 'linux') keepKeysIn(path.join(home, 'keychain.json'))

function keepKeysIn(file) {
  const read = () => {
    try {
      return new Map(JSON.parse(readFileSync(file, 'utf8')))
    } catch {
      return new Map()
    }
  }
  const change = (act) => {
    const keys = read()
    const result = act(keys)
    writeFileSync(file, JSON.stringify([...keys]))
    return Promise.resolve(result)
  }
  keytar.getPassword = (service, account) => Promise.resolve(read().get(`${service} ${account}`) ?? null)
  keytar.setPassword = (service, account, key) =>
    change((keys) => void keys.set(`${service} ${account}`, key))
  keytar.deletePassword = (service, account) => change((keys) => keys.delete(`${service} ${account}`))
}
