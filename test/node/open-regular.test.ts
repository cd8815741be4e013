import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { mediaContentOf } from '../../src/node/media-content.ts'
import { openRegular, readRegular, readRegularFile } from '../../src/node/open-regular.ts'
import { temporaryFolder } from '../temporary-folder.ts'

it('opens a regular file, and a link to one only if links are permitted', async () => {
  const folder = temporaryFolder()
  const [path, link] = [join(folder, 'a'), join(folder, 'link')]
  await writeFile(path, 'x')
  await symlink(path, link)
  for (const opening of [openRegular(path, 'refuse'), openRegular(link, 'follow')]) {
    const file = await opening
    expect(await file?.readFile('utf8')).toBe('x')
    await file?.close()
  }
  await expect(openRegular(link, 'refuse')).rejects.toMatchObject({ code: 'ELOOP' })
  await expect(openRegular(join(folder, 'gone'), 'follow')).rejects.toMatchObject({ code: 'ENOENT' })
})

it.skipIf(process.platform === 'win32')(
  'doesn’t wait for a pipe, and refuses folders and devices',
  async () => {
    const folder = temporaryFolder()
    const pipe = join(folder, 'pipe.jpg')
    execFileSync('mkfifo', [pipe])
    await mkdir(join(folder, 'folder.jpg'))
    for (const path of [pipe, join(folder, 'folder.jpg'), '/dev/null']) {
      expect(await openRegular(path, 'follow')).toBeUndefined()
      expect(await mediaContentOf(path)).toBeUndefined()
      expect(() => readRegular(path)).toThrow(/EINVAL|EISDIR/)
      await expect(readRegularFile(path)).rejects.toMatchObject({ code: 'EINVAL' })
    }
  },
)
