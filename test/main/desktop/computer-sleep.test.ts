import { expect, it } from 'vitest'
import { sleepComputer, type RunCommand } from '../../../src/main/desktop/integration/computer-sleep.ts'

function setUp(error: Error | null = null) {
  const ran: string[] = []
  const logged: string[] = []
  const run: RunCommand = (program, args, done) => {
    ran.push([program, ...args].join(' '))
    done(error)
  }
  return {
    ran,
    logged,
    sleep: (platform: NodeJS.Platform) => sleepComputer(platform, (line) => logged.push(line), run),
  }
}

it.each([
  ['linux', 'systemctl suspend'],
  ['darwin', 'pmset sleepnow'],
  ['win32', 'powershell.exe -NoProfile .*SetSuspendState\\("Suspend", \\$false, \\$false\\)'],
] as const)('puts the computer to sleep on %s with its own command', (platform, command) => {
  const { ran, logged, sleep } = setUp()
  sleep(platform)
  expect(ran).toEqual([expect.stringMatching(`^${command}$`)])
  expect(logged).toEqual([])
})

it('runs nothing on an unknown system', () => {
  const { ran, sleep } = setUp()
  sleep('aix')
  expect(ran).toEqual([])
})

it('continues and logs the reason if the command fails', () => {
  const { logged, sleep } = setUp(new Error('Access denied'))
  sleep('linux')
  expect(logged).toEqual(['could not suspend the computer: Access denied'])
})
