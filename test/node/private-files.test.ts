import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { keepFilePrivate, keepFolderPrivate } from '../../src/node/private-files.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const modeOf = (path: string): number => statSync(path).mode & 0o7777

describe.skipIf(process.platform === 'win32')('private files and folders', () => {
  it('are created private, and existing ones are restricted with their content kept', () => {
    const folder = temporaryFolder()
    const [made, found] = [join(folder, 'made', 'data'), join(folder, 'found')]
    keepFolderPrivate(made)
    keepFolderPrivate(found)
    chmodSync(found, 0o775)
    keepFolderPrivate(found)
    const [newFile, oldFile] = [join(found, 'new'), join(found, 'old')]
    writeFileSync(oldFile, 'kept')
    chmodSync(oldFile, 0o666)
    keepFilePrivate(newFile)
    keepFilePrivate(oldFile)
    expect([made, found, newFile, oldFile].map(modeOf)).toEqual([0o700, 0o700, 0o600, 0o600])
    expect(readFileSync(oldFile, 'utf8')).toBe('kept')
  })

  it('don’t include folders that contain more than the app’s own files', () => {
    const shared = temporaryFolder()
    chmodSync(shared, 0o1777)
    keepFolderPrivate(shared)
    expect(modeOf(shared)).toBe(0o1777)

    const home = temporaryFolder()
    chmodSync(home, 0o755)
    vi.stubEnv('HOME', home)
    onTestFinished(() => void vi.unstubAllEnvs())
    keepFolderPrivate(home)
    expect(modeOf(home)).toBe(0o755)
  })

  it('cause no error if they can’t be created', () => {
    expect(() => keepFilePrivate(join(temporaryFolder(), 'missing', 'file'))).not.toThrow()
  })
})
