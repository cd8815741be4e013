import { spawnSync } from 'node:child_process'
import { closeSync, linkSync, openSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { listWithLsof, openForWriting } from '../../src/node/open-files.ts'
import { programIn } from '../main/hooks/hooked.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { firstOf, itInLongSuite } from '../faults/long-suite.ts'

const hasLsof = spawnSync('lsof', ['-v']).error === undefined

/** Files that this process keeps open. */
function openFiles() {
  const folder = temporaryFolder()
  const open = (name: string, flags: string) => {
    const path = join(folder, name)
    writeFileSync(path, name)
    const descriptor = openSync(path, flags)
    onTestFinished(() => closeSync(descriptor))
    return path
  }
  const closed = join(folder, 'closed.mp4')
  writeFileSync(closed, '')
  const written = open('written.mp4', 'a')
  const linked = join(folder, 'linked.mp4')
  linkSync(written, linked)
  return {
    folder,
    written,
    linked,
    updated: open('updated\nfn.mp4', 'r+'),
    read: open('read.mp4', 'r'),
    closed,
    missing: join(folder, 'missing.mp4'),
  }
}

it.runIf(process.platform === 'linux' || process.platform === 'darwin')(
  'finds the files that a program has open for writing, and not those that it reads',
  async () => {
    const { written, updated, read, closed, missing } = openFiles()
    const found = await openForWriting([written, updated, read, closed, missing])
    expect([...found].toSorted()).toEqual([updated, written].toSorted())
  },
)

itInLongSuite.runIf(hasLsof)('lsof finds them, too, under each of their names', async () => {
  const { written, linked, updated, read, closed, missing } = openFiles()
  const isWritten = await listWithLsof('lsof')
  const paths = [written, linked, updated, read, closed, missing]
  expect(await Promise.all(paths.map(isWritten))).toEqual([true, true, true, false, false, false])
})

/** The fields of lsof for a file's device and inode. */
const idsOf = (path: string) => {
  const { dev, ino } = statSync(path, { bigint: true })
  return `D0x${dev.toString(16)}\ni${ino}`
}

it.skipIf(process.platform === 'win32')('the output of lsof on macOS is understood', async () => {
  const { folder, written, updated, read } = openFiles()
  // A process has a working folder, its program and libraries, sockets, and the files.
  const output = `p512
fcwd
a 
D0x1000004
i2
ftxt
a 
${idsOf(read)}
f0
ar
${idsOf(read)}
f1
au
i1153
f2
au
p877
f5
aw
${idsOf(written)}
f12
au
${idsOf(updated)}
f13
aw
Dnone
i7`
  const lsof = programIn(folder, 'lsof', `cat <<'EOF'\n${output}\nEOF\nexit 1`)
  const isWritten = await listWithLsof(lsof)
  expect(await Promise.all([written, updated, read].map(isWritten))).toEqual([true, true, false])
})

it.skipIf(process.platform === 'win32').each(
  firstOf([
    ['isn’t there', undefined],
    ['fails', 'echo broken; echo "aw"; exit 2'],
    ['is killed', 'kill -9 $$'],
    ['waits for a share', 'sleep 3600'],
  ]),
)('no file is open if lsof %s', async (_, script) => {
  const { folder, written } = openFiles()
  const lsof = script === undefined ? join(folder, 'lsof') : programIn(folder, 'lsof', script)
  const isWritten = await listWithLsof(lsof, 300)
  expect(await isWritten(written)).toBe(false)
})
