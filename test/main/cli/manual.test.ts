/** The manual page: everything in the help, and valid for the programs that show it. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { manualPage } from '../../../scripts/manual-page.ts'
import { createProgram } from '../../../src/main/cli/program.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const program = () =>
  createProgram(
    () => Promise.resolve(),
    () => undefined,
  )

const has = (name: string): boolean => spawnSync(name, ['--version']).error === undefined

test('has every command and every option, in ASCII', () => {
  const page = manualPage(program(), '1.2.3')
  expect(page).toMatch(/^[\n -~]*$/)
  for (const command of program()
    .createHelp()
    .visibleCommands(program())
    .filter((one) => one.name() !== 'help')) {
    expect(page).toContain(`.SS "${command.name().replaceAll('-', String.raw`\-`)}`)
    for (const { long, description } of command.createHelp().visibleOptions(command)) {
      expect(description, `${command.name()} ${long}`).not.toBe('')
      if (long !== '--help') expect(page).toContain(String(long).replaceAll('-', String.raw`\-`))
    }
  }
})

test('a description that begins like a request stays text', () => {
  const odd = program()
  odd.command('odd').description(String.raw`.so /etc/passwd \fB "x" ü`)
  expect(manualPage(odd, '1')).toContain(String.raw`\&.so /etc/passwd \efB \(dqx\(dq \[u00FC]`)
})

test.runIf(has('man'))('man shows it without warnings', () => {
  const file = join(temporaryFolder(), 'mediatray-cli.1')
  writeFileSync(file, manualPage(program(), '1.2.3'))
  const { stdout, stderr } = spawnSync('man', ['--warnings', '-l', file], {
    env: { ...process.env, LC_ALL: 'C.UTF-8', MANWIDTH: '80', MANPAGER: 'cat' },
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(stdout).toContain('--remove-location')
})
