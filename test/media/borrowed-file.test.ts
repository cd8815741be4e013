import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { borrowFile, borrowJpeg } from '../../src/media/borrowed-file.ts'
import { temporaryFolder } from '../temporary-folder.ts'

function filesWith(contents: readonly string[]): readonly string[] {
  const folder = temporaryFolder()
  return contents.map((content) => {
    const path = join(folder, content)
    writeFileSync(path, content)
    return path
  })
}

const contentOf = (path: string): string => {
  using file = borrowFile(path)
  return file.content.toString()
}

describe('borrowed files', () => {
  test('have exactly the content of each file, whatever was in the memory before', () => {
    const contents = ['long content', 'short', 'long content']
    expect(filesWith(contents).map(contentOf)).toEqual(contents)
  })

  test('have separate memory if two are used at once', () => {
    const contents = ['one', 'other']
    const files = filesWith(contents).map(borrowFile)
    expect(files.map(({ content }) => content.toString())).toEqual(contents)
  })

  test('are JPEGs of usual size if only those are wanted', () => {
    const [jpeg = '', png = '', empty = ''] = filesWith(['jpeg', 'png', 'empty'])
    writeFileSync(jpeg, Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1]))
    writeFileSync(empty, '')
    expect([jpeg, png, empty].map((path) => borrowJpeg(path)?.content.length)).toEqual([
      5,
      undefined,
      undefined,
    ])
    writeFileSync(jpeg, Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(16 * 1024 * 1024)]))
    expect(borrowJpeg(jpeg)).toBeUndefined()
  })
})
