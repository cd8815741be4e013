/**
 * Creates aliases in a separate process that kills itself with SIGKILL before the given write.
 *
 * Arguments: the folder for aliases, number of the write at which to die, paths of the files.
 */
import fs from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import { stepsUntil } from '../doomed.ts'

const [folder = '', dieAt, ways = '', ...paths] = process.argv.slice(2)
const WRITES = [
  'link',
  'copyFile',
  'mkdir',
  'open',
  'utimes',
  'rename',
  'writeFile',
  'rm',
  'rmdir',
  'unlink',
] as const

const writes = stepsUntil(dieAt)
let isCreating = false

/** Counts the call as a write, before it happens. */
function doomed<Call extends (...args: never[]) => unknown>(call: Call): Call {
  return ((...args: never[]) => {
    if (isCreating) writes.step()
    return call(...args)
  }) as Call
}

for (const name of WRITES) Object.assign(promises, { [name]: doomed(promises[name] as never) })
for (const name of WRITES) {
  const sync = `${name}Sync` as keyof typeof fs
  if (typeof fs[sync] === 'function') Object.assign(fs, { [sync]: doomed(fs[sync] as never) })
}
syncBuiltinESMExports()

const { openAliases } = await import('../../src/main/aliases/index.ts')
const { WAYS } = await import('../../src/main/aliases/create-alias.ts')
const { asRecordId } = await import('../../src/shared/model/ids.ts')

const fails = () => Promise.reject(new Error('This way is not available.'))
const aliases = openAliases({
  folder,
  isOpen: () => true,
  log: () => undefined,
  beforeLinkChange: () => Promise.resolve(),
  ways: ways === 'copy' ? { ...WAYS, hardLink: fails, reflink: fails } : WAYS,
})
const items = paths.map(
  (path) => ({ path, name: basename(path), kind: 'image', size: 1, format: 'jpg' }) as const,
)
isCreating = true
const { files, unsent } = await aliases.create(asRecordId('r1'), items, {
  isBuiltIn: false,
  signal: new AbortController().signal,
})
isCreating = false
process.stdout.write(JSON.stringify({ writes: writes.steps(), created: files.length, unsent: unsent.length }))
