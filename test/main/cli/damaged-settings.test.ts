import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run, temporaryFolder } from './command.ts'

test('with settings that can’t be understood no other service is used in place of the person’s own', async () => {
  const data = temporaryFolder()
  await writeFile(join(data, 'settings.json'), '{"settings": {"connec')
  const { code, stderr } = await run(['status'], { env: { MEDIATRAY_DATA_DIR: data } })
  expect(code).toBe(4)
  expect(stderr).toContain('it is not known which service to use')
  expect(await readdir(data)).toEqual(['settings.json'])
  expect(await readFile(join(data, 'settings.json'), 'utf8')).toBe('{"settings": {"connec')
})

test('a service that is named needs no settings', async () => {
  const data = temporaryFolder()
  await writeFile(join(data, 'settings.json'), 'nonsense')
  const { code, stderr } = await run(['--base-url', 'http://127.0.0.1:9/api', 'status'], {
    env: { MEDIATRAY_DATA_DIR: data },
  })
  expect(code).toBe(5)
  expect(stderr).not.toContain('settings')
})
