import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { HelperEnded } from '../../../src/node/ended-from-outside.ts'
import { copyRights, withAttributes } from '../../../src/main/vault/file-attributes.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const isRoot = process.getuid?.() === 0

function file(name: string, mode: number): string {
  const path = join(temporaryFolder(), name)
  writeFileSync(path, name)
  chmodSync(path, mode)
  return path
}

const copy = (original: string, result: string) => withAttributes((copyOne) => copyOne(original, result))

/** Number of the system call that sets an extended attribute. Perl is part of every common Linux, unlike `setfacl`. */
const SET_ATTRIBUTE = process.arch === 'arm64' ? 5 : 188
const ACL = 'system.posix_acl_access'

/** Lets another user read and write a file, but not its group. The group's bits of the mode are then those of the other user. */
function shareWithUser(path: string): void {
  const everyone = 0xffffffff
  const entries = [
    [1, 6, everyone],
    [2, 6, 1234],
    [4, 0, everyone],
    [16, 6, everyone],
    [32, 0, everyone],
  ]
  const list = `pack("V", 2) . ${entries.map((entry) => `pack("vvV", ${entry.join(', ')})`).join(' . ')}`
  const script = `my ($p, $n, $v) = ($ARGV[0], "${ACL}", ${list}); exit(syscall(${SET_ATTRIBUTE}, $p, $n, $v, length $v, 0) == 0 ? 0 : 1)`
  execFileSync('perl', ['-e', script, path])
}

/** What `ls` shows: a plus sign means an access control list. */
const listed = (path: string): string => execFileSync('ls', ['-l', path], { encoding: 'utf8' }).slice(0, 11)

/** Makes `cp` fail, which copies access control lists. */
function breakCopying(): void {
  const programs = join(temporaryFolder(), 'bin')
  mkdirSync(programs)
  writeFileSync(join(programs, 'cp'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  vi.stubEnv('PATH', [programs, process.env['PATH']].join(delimiter))
}

/**
 * Makes `cp` do this first, each time or only the first time. `$PPID` is the shell that runs it.
 * @param first a shell command
 */
function beforeCopying(first: string, { once }: { readonly once: boolean }): void {
  const programs = join(temporaryFolder(), 'bin')
  mkdirSync(programs)
  const mark = join(programs, 'done')
  const condition = once ? `[ -e ${mark} ] || { touch ${mark}; ${first}; }` : first
  writeFileSync(join(programs, 'cp'), `#!/bin/sh\n${condition}\nexec /bin/cp "$@"\n`, { mode: 0o755 })
  vi.stubEnv('PATH', [programs, process.env['PATH']].join(delimiter))
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

describe.runIf(process.platform !== 'win32')('a result next to its original', () => {
  it.each([
    { original: 0o600, result: 0o644, expected: '600' },
    { original: 0o640, result: 0o600, expected: '640' },
    { original: 0o444, result: 0o666, expected: '644' },
  ])('gets the permissions $original, and can be written', async ({ original, result, expected }) => {
    const [path, made] = [file('a.jpg', original), file('b.jpg', result)]
    await copyRights(path, made)
    expect(modeOf(made)).toBe(expected)
  })

  it('gets the permissions of the file that a link leads to', async () => {
    const [target, made] = [file('a.jpg', 0o600), file('b.jpg', 0o644)]
    const link = join(temporaryFolder(), 'link.jpg')
    symlinkSync(target, link)
    await copyRights(link, made)
    expect(modeOf(made)).toBe('600')
  })

  it('can only be read by the user if the original is gone', async () => {
    const [path, made] = [file('a.jpg', 0o644), file('b.jpg', 0o644)]
    rmSync(path)
    await copyRights(path, made)
    expect(modeOf(made)).toBe('600')
  })
})

describe.runIf(process.platform === 'linux')(
  'the access control list of a result next to its original',
  () => {
    it('is that of the original', async () => {
      const [original, made] = [file('a.jpg', 0o600), file('b.jpg', 0o644)]
      shareWithUser(original)
      await copyRights(original, made)
      expect(listed(made)).toBe('-rw-rw----+')
    })

    it('lets only the user read it if it can’t be copied', async () => {
      const [original, made] = [file('a.jpg', 0o664), file('b.jpg', 0o644)]
      breakCopying()
      await copyRights(original, made)
      expect(modeOf(made)).toBe('600')
    })
  },
)

describe.runIf(process.platform === 'linux')('a result', () => {
  it('gets the access control list, so that the group gets no rights', async () => {
    const [original, result] = [file('a.jpg', 0o600), file('b.jpg', 0o644)]
    shareWithUser(original)
    await copy(original, result)
    expect(listed(original)).toBe('-rw-rw----+')
    expect(listed(result)).toBe('-rw-rw----+')
  })

  itInLongSuite('loses an access control list that the original doesn’t have', async () => {
    const [original, result] = [file('a.jpg', 0o640), file('b.jpg', 0o600)]
    shareWithUser(result)
    await copy(original, result)
    expect(listed(result).trimEnd()).toBe('-rw-r-----')
  })

  it('replaces nothing if the list can’t be copied', async () => {
    breakCopying()
    await expect(copy(file('a.jpg', 0o600), file('b.jpg', 0o600))).rejects.toMatchObject({ why: 'rights' })
  })

  it('gets the owner and group, or replaces nothing if this user may not set them', async () => {
    const original = isRoot ? file('a.jpg', 0o644) : '/etc/passwd'
    if (isRoot) chownSync(original, 1234, 2345)
    const result = file('b.jpg', 0o600)
    const copied = copy(original, result)
    if (!isRoot) return expect(copied).rejects.toMatchObject({ why: 'rights' })
    await copied
    expect(statSync(result)).toMatchObject({ uid: 1234, gid: 2345 })
  })

  itInLongSuite.each(['INT', 'TERM', 'HUP'])(
    'gets all attributes although SIG%s reaches the shell that copies them',
    async (signal) => {
      const [original, result] = [file('a.jpg', 0o640), file('b.jpg', 0o600)]
      beforeCopying(`kill -${signal} $PPID`, { once: false })
      await copy(original, result)
      expect(modeOf(result)).toBe('640')
    },
  )

  itInLongSuite('gets all attributes even if the shell that copies them is killed once', async () => {
    const [original, result] = [file('a.jpg', 0o640), file('b.jpg', 0o600)]
    beforeCopying('kill -KILL $PPID', { once: true })
    await copy(original, result)
    expect(modeOf(result)).toBe('640')
  })

  itInLongSuite.each(['$PPID', '$$'])(
    'that can’t be copied because %s was killed isn’t refused, but waits',
    async (victim) => {
      beforeCopying(`kill -KILL ${victim}`, { once: false })
      await expect(copy(file('a.jpg', 0o600), file('b.jpg', 0o600))).rejects.toThrow(HelperEnded)
    },
  )
})
