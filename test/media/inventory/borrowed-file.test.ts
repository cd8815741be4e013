import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { borrowFile } from '../../../src/media/inventory/borrowed-file.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

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
})
